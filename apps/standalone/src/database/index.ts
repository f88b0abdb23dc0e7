export * from './database-names';
export * from './database-server';
export { DatabaseServerError } from './ensure-databases';
