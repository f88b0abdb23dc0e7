export type { AuditEvent, AuditKind, Origin } from './audit-event';
export { insertAuditEvents } from './persistence/insert-audit-events';
