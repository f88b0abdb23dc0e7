export * from './identity-issuer';
export * from './test-token-keys';
