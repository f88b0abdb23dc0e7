export * from './authorize.module';
