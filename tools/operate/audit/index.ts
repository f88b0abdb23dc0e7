export type { AuditScope, Violation } from './audited-transaction.ts';
export { type AuditOptions, readOptions, UsageError } from './audit-options.ts';
export { audit } from './audit.ts';
export { type AuditReport } from './run-audit.ts';
