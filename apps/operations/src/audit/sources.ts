import { Pool } from 'pg';
import type { DispatcherRecord, SchedulerRecord, SimulatorRecord } from './audited-transaction.ts';

const ageS = (column: string) => `extract(epoch from clock_timestamp() - ${column})::float8`;

/** The audit's queries on each service's database. */
const auditSql = {
  dispatcher: {
    ids: `select id from (
          (select transaction_id as id from delivery where transaction_id > $1 order by 1 limit $2)
          union (select transaction_id from verdict where transaction_id > $1 order by 1 limit $2)) t order by id limit $2`,
    read: `select id, d.transaction_id is not null as has_delivery, coalesce(d.reversible, false) as reversible,
                coalesce(d.stub, false) as stub, ${ageS('d.received_at')} as age_s,
                (case when d.epoch > 0 then 1 else 0 end)
                  + (select count(*) from attempt a where a.transaction_id = t.id and not (a.attempt = 1 and d.epoch > 0))::int as attempts,
                v.kind, ${ageS('v.at')} as verdict_age_s, v.started_at is not null as was_posted,
                v.outcome is not distinct from 'DECIDED BEFORE' as follows_decision
           from (select transaction_id as id from delivery where transaction_id > $1 and transaction_id <= $2
                 union select transaction_id from verdict where transaction_id > $1 and transaction_id <= $2) t
           left join delivery d on d.transaction_id = id
           left join verdict v on v.transaction_id = id`,
  },
  scheduler: {
    ids: `select id from (
          (select transaction_id as id from job where transaction_id > $1 order by 1 limit $2)
          union (select transaction_id from decision where transaction_id > $1 order by 1 limit $2)) t order by id limit $2`,
    read: `select id, j.attempt, ${ageS('j.armed_at')} as job_age_s, d.kind, d.verdict, ${ageS('d.at')} as decision_age_s
           from (select transaction_id as id from job where transaction_id > $1 and transaction_id <= $2
                 union select transaction_id from decision where transaction_id > $1 and transaction_id <= $2) t
           left join job j on j.transaction_id = id
           left join decision d on d.transaction_id = id`,
  },
  simulator: {
    ids: `select transaction_id as id from transaction where transaction_id > $1 and kind = 'PURCHASE' order by 1 limit $2`,
    // A purchase that was reversed had succeeded.
    read: `select t.transaction_id as id, t.tx_state in ('SUCCESS', 'END_REVERSED') as is_success, ${ageS('t.completed_at')} as age_s,
                count(r.*) filter (where r.tx_state = 'END_REVERSED')::int as reversals,
                count(r.*) filter (where r.tx_state <> 'END_REVERSED')::int as failed_reversals
           from transaction t left join transaction r on r.reference_transaction_id = t.transaction_id and r.kind = 'REVERSAL'
          where t.transaction_id > $1 and t.transaction_id <= $2 and t.kind = 'PURCHASE'
          group by t.transaction_id`,
  },
} as const;

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
