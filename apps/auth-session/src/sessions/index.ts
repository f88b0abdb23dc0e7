export * from './accept-token.service';
export * from './access-tokens';
export { type AccessClaims, accessTokenLifetimeMs, readClaims } from './domain/access-token';
export * from './domain/authorization-header';
export * from './domain/session';
export * from './open-session.service';
export * from './reused-tokens.service';
export * from './sessions.module';
export * from './sessions.ports';
