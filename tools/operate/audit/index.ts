export { readOptions, UsageError } from './audit-options.ts';
export { audit } from './audit.ts';
export { type AuditReport } from './run-audit.ts';
