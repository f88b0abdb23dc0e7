export * from './ports';
export * from './services';
export * from './standalone-file';
export * from './platform';
