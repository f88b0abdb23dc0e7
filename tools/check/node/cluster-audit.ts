import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluationGround } from './evaluation-ground';

const root = join(__dirname, '../../..');

interface AuditReport {
  transactions: number;
  open: number;
  violationCount: number;
  violations: unknown[];
}

/** `npm run audit` on the databases of the cluster. @throws Error with what it says when it cannot look */
export function clusterAudit(ground: EvaluationGround): AuditReport {
  const authority = join(ground.folder, 'database-ca.crt');
  writeFileSync(authority, secretOf(ground, 'paycode-postgres-ca', 'ca\\.crt'));
  const url = (service: string) => `${secretOf(ground, `paycode-${service}`, 'DATABASE_URL')}&sslrootcert=${authority}`;
  // By settings: a command line is shown to everybody.
  const databases = {
    AUDIT_DISPATCHER_URL: url('webhook-dispatcher'),
    AUDIT_SCHEDULER_URL: url('reversal-scheduler'),
    AUDIT_SIMULATOR_URL: url('payment-simulator'),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/run.cjs', 'operate/audit', '--grace', '0', '--json'], {
    cwd: root,
    env: { ...process.env, ...databases },
    encoding: 'utf8',
  });
  // It ends with 1 when it has found something, and with 2 when it could not look.
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return JSON.parse(stdout) as AuditReport;
}

function secretOf(ground: EvaluationGround, name: string, key: string): string {
  return Buffer.from(ground.inPaycode('get', 'secret', name, '-o', `jsonpath={.data.${key}}`), 'base64').toString();
}
