export * from './compact-after-start';
export * from './service-process';
export * from './supervised-service';
export * from './supervisor';
export { decideRestart } from './domain/restart-policy';
export { statusOf } from './http-get';
