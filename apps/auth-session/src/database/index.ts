export * from './database.module';
export { preparedQuery } from './prepared-query';
export { unavailable } from './unavailable.interceptor';
