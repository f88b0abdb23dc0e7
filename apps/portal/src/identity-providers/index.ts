export { ClientSecrets } from './client-secrets';
export { type Claims, speaksFor } from './domain/identity-provider';
export * from './identity-providers.module';
export * from './identity-providers.ports';
