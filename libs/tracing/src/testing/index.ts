export * from './trace-collector';
