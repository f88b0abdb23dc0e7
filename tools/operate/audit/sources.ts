import { Pool } from 'pg';
import { auditSql } from './audit.sql.ts';
import type { DispatcherRecord, SchedulerRecord, SimulatorRecord } from './audited-transaction.ts';

/** Transaction ids after `after` up to and with `upTo`. */
export interface IdRange {
  after: number;
  upTo: number;
}

/** A database that knows transactions; it is only read. */
export interface Source<R> {
  name: string;
  /** The next ids after `after`, ascending, at most `limit`. */
  ids(after: number, limit: number): Promise<number[]>;
  read(range: IdRange): Promise<Map<number, R>>;
  close(): Promise<void>;
}

interface SourceSql<R> {
  name: string;
  ids: string;
  read: string;
  recordFrom(row: Record<string, never>): R;
}

const dispatcher: SourceSql<DispatcherRecord> = {
  name: 'dispatcher',
  ...auditSql.dispatcher,
  recordFrom: row => ({
    isReversible: row['reversible']!,
    isStub: row['stub']!,
    hasDelivery: row['has_delivery']!,
    ageS: row['age_s']!,
    attempts: row['attempts']!,
    verdict: row['kind']
      ? {
          kind: row['kind'],
          ageS: row['verdict_age_s']!,
          wasPosted: row['was_posted']!,
          followsDecision: row['follows_decision']!,
        }
      : null,
  }),
};

const scheduler: SourceSql<SchedulerRecord> = {
  name: 'scheduler',
  ...auditSql.scheduler,
  recordFrom: row => ({
    job: row['attempt'] === null ? null : { attempt: row['attempt']!, ageS: row['job_age_s']! },
    decision: row['kind'] ? { kind: row['kind'], verdict: row['verdict']!, ageS: row['decision_age_s']! } : null,
  }),
};

const simulator: SourceSql<SimulatorRecord> = {
  name: 'simulator',
  ...auditSql.simulator,
  recordFrom: row => ({
    isSuccess: row['is_success']!,
    ageS: row['age_s']!,
    reversals: row['reversals']!,
    failedReversals: row['failed_reversals']!,
  }),
};

export const openDispatcher = (url: string) => open(url, dispatcher);
export const openScheduler = (url: string) => open(url, scheduler);
export const openSimulator = (url: string) => open(url, simulator);

function open<R>(url: string, sql: SourceSql<R>): Source<R> {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    application_name: 'paycode-audit',
    connectionTimeoutMillis: 10_000,
    // Read-only: a program for production must not be able to change anything there.
    options: '-c default_transaction_read_only=on -c statement_timeout=300000',
  });
  return {
    name: sql.name,
    ids: async (after, limit) => (await pool.query<{ id: string }>(sql.ids, [after, limit])).rows.map(row => Number(row.id)),
    read: async ({ after, upTo }) => {
      const { rows } = await pool.query<Record<string, never>>(sql.read, [after, upTo]);
      return new Map(rows.map(row => [Number(row['id']), sql.recordFrom(row)]));
    },
    close: () => pool.end(),
  };
}
