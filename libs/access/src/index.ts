export * from './identity/identity-assertion';
export * from './identity/identity-keys';
export * from './identity/identity.guard';
export * from './identity/identity.module';
export * from './path/normalise-path';
export * from './service-token/internal-callers.guard';
export * from './service-token/internal-client';
export { ServiceTokenSigner, signOperatorToken, type TokenSecrets } from './service-token/service-token';
export * from './service-token/service-token.module';
