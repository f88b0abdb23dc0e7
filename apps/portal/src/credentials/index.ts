export { CredentialsModule } from './credentials.module';
