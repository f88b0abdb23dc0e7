export * from './sign-in.module';
