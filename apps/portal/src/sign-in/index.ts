export { CurrentPassword } from './current-password';
export * from './sign-in.module';
