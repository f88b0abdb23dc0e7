export * from './ports';
export * from './restart-orders';
export * from './services';
export * from './standalone-file';
export * from './platform';
