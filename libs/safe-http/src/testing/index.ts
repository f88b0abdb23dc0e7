export * from './dns-server';
