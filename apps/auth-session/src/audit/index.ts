export * from './audit.module';
export * from './audit.ports';
export { type ClientOrigin, ClientRequest } from './http/client-request';
export { InternalOrigin } from './http/internal-origin';
export { insertSecurityEvent } from './persistence/postgres-security-log';
export * from './security-event';
