export { unavailable, UnavailableInterceptor } from './unavailable.interceptor';
