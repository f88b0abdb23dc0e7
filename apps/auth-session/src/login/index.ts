export * from './login.module';
