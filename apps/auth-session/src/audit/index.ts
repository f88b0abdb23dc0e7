export * from './audit.module';
export * from './audit.ports';
export * from './event-counts';
export { ClientRequest } from './http/client-request';
export { InternalOrigin } from './http/internal-origin';
export { insertSecurityEvent } from './persistence/postgres-security-log.store';
export * from './security-event';
