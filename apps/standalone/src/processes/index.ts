export * from './compact-after-start';
export * from './service-process';
export { ServiceFailure } from './kept-service';
export * from './supervisor';
export { decideRestart } from './domain/restart-policy';
export { statusOf } from './http-get';
