export * from './identity-issuer';
