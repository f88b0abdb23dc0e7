export * from './accept-token.service';
export * from './access-tokens';
export { readClaims } from './domain/access-token';
export * from './domain/session';
export * from './sessions.module';
export * from './sessions.ports';
