export * from './audit.module';
export * from './audit.ports';
export { InternalOrigin } from './http/internal-origin';
export { insertSecurityEvent } from './persistence/postgres-security-log';
export * from './security-event';
