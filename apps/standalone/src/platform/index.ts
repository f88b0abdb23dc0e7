export * from './ports';
export * from './services';
