export * from './authorize.module';
export * from './external-authorization.module';
