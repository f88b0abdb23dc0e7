export * from './service-process';
export * from './supervised-service';
export * from './supervisor';
export { statusOf } from './http-get';
