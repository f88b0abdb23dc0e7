export { preparedQuery } from './prepared-query';
export { unavailable, UnavailableInterceptor } from './unavailable.interceptor';
