export { NotificationConfigCalls, valueOf } from './notification-config-calls';
export { ScopePipe } from './http/scope.pipe';
export { notYours, Scope } from './scope';
export * from './tenancy.module';
export * from './tenancy.ports';
