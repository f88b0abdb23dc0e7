import type { ArmItem, CloseItem, Decision, ReversalReason, ReversalState, VerdictKind } from '@paycode/dto';
import { bigints, type PreparedQuery, preparedQuery, replannedAsItGrows, scalars, smallints, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import { shardOf } from '@paycode/ownership';
import type { DecisionToRecord } from './domain/decision';
import { type Armed, type DueJob, JobStore, type LowWaterMark, type ScannedJobs, type ShardCursor } from './reversal.ports';

const microseconds = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;
const leftMs = (column: string) => `extract(epoch from ${column} - clock_timestamp()) * 1000`;

/**
 * One statement stores the jobs and looks for decisions that stand already, as one step of the model does (settlement.pml, ARM). All batches
 * lock rows in the same order, so that two of the same rows cannot deadlock.
 */
const arm = (onConflict: string) => `
    with armed as (
      insert into job (transaction_id, shard, merchant_id, attempt, due_at, ack_token_hash)
      select id, shard, merchant, attempt, clock_timestamp() + $5::float8 * interval '1 millisecond', token
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::smallint[], $6::uuid[]) as t(id, shard, merchant, attempt, token)
       order by id
      ${onConflict})
    select t.id, d.kind, false as is_early from unnest($1::bigint[]) as t(id) join decision d on d.transaction_id = t.id
     union all
    select t.id, e.verdict, true from unnest($1::bigint[], $6::uuid[]) as t(id, token)
      join early_acknowledgement e on e.transaction_id = t.id and (t.token is null or e.ack_token_hash = t.token)`;

const jobSql = {
  /** For jobs that are new: without an arbiter, a row takes a quarter less of PostgreSQL's time. Fails when one is not new (SQLSTATE 23505). */
  armNew: { name: 'arm-new', text: arm('') },

  /** For jobs that may be there already. */
  arm: {
    name: 'arm',
    text: arm(`on conflict (transaction_id) do update
        set attempt = greatest(job.attempt, excluded.attempt), due_at = greatest(job.due_at, excluded.due_at),
            ack_token_hash = coalesce(excluded.ack_token_hash, job.ack_token_hash)`),
  },

  // Rows that no arming has asked for are deleted when the topic no longer holds their event.
  keepEarly: `
    with old as (
      delete from early_acknowledgement where ctid = any(array(
        select ctid from early_acknowledgement where received_at < statement_timestamp() - interval '14 days' order by received_at limit 1000)))
    insert into early_acknowledgement (transaction_id, ack_token_hash, verdict)
    select * from unnest($1::bigint[], $2::uuid[], $3::text[]) order by 1, 2
    on conflict do nothing`,

  // A job that is there, undecided and overdue, was perhaps committed so late that the timers had read past its due time: they find the new
  // one. An arming that is not committed yet makes this wait.
  watch: `with added as (
         insert into job (transaction_id, shard, merchant_id, attempt, due_at)
         select distinct on (id) id, shard, merchant, 0, clock_timestamp() + $4::float8 * interval '1 millisecond'
           from unnest($1::bigint[], $2::smallint[], $3::bigint[]) as t(id, shard, merchant)
          where not exists (select from decision d where d.transaction_id = t.id)
          order by id
         on conflict (transaction_id) do update set due_at = excluded.due_at where job.due_at < statement_timestamp()
         returning armed_at >= statement_timestamp() as is_new)
       select count(*) filter (where is_new) as watched from added`,

  // One read of the index (shard, due_at, transaction_id) per shard; the primary key of `decision` excludes decided jobs. The window ends
  // at a time that is fixed for the statement: with clock_timestamp() the index could not bound the read, and it would read every pending
  // job. When the clock was set back behind a mark, the read begins two minutes before the new time, so that it misses no job. The row
  // without a shard returns the clock.
  scan: `(select j.transaction_id as id, j.merchant_id as merchant, j.shard,
               ${microseconds('j.due_at')} as due_us
          from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as c(shard, after_us, after_id)
          join shard s on s.shard = c.shard
         cross join lateral (
           select * from job
            where job.shard = c.shard and job.due_at <= statement_timestamp() + $4::float8 * interval '1 millisecond'
              and (job.due_at, job.transaction_id)
                  > (coalesce(timestamptz 'epoch' + c.after_us * interval '1 microsecond',
                              least(s.low_due_at, statement_timestamp() - $6::float8 * interval '1 millisecond')),
                     coalesce(c.after_id, 0))
              and not exists (select from decision d where d.transaction_id = job.transaction_id)
            order by job.due_at, job.transaction_id
            limit $5) j
         order by j.shard, j.due_at, j.transaction_id)
       union all
       select null, null, null, ${microseconds('statement_timestamp()')}`,

  undecided: `select j.transaction_id as id, ${leftMs('j.due_at')} as left_ms
         from unnest($1::bigint[]) as t(id) join job j on j.transaction_id = t.id
        where not exists (select from decision d where d.transaction_id = t.id)`,

  // Locks shard rows in their order, like all statements.
  advance: `with ahead as (
         select shard, least(timestamptz 'epoch' + us * interval '1 microsecond', clock_timestamp())
                       - $3::float8 * interval '1 millisecond' as mark
           from unnest($1::smallint[], $2::bigint[]) as u(shard, us)),
       held as materialized (
         select s.shard, a.mark from shard s join ahead a using (shard)
          where s.low_due_at < a.mark order by s.shard for no key update of s)
       update shard set low_due_at = held.mark from held where shard.shard = held.shard`,

  stateOf: `select j.armed_at, j.due_at, d.kind, d.at, d.reason
         from (select $1::bigint as id) t
         left join job j on j.transaction_id = t.id
         left join decision d on d.transaction_id = t.id
        where j.transaction_id is not null or d.transaction_id is not null`,
} as const;

/**
 * A row becomes visible when its transaction ends, which is after its due time was computed. Marks therefore stay this
 * far behind.
 */
const lowWaterDistanceMs = 120_000;

/** After jobs that were expected to be new and were not, so many batches are expected to hold further ones: repeats come together. */
const batchesAfterRepeat = 100;
const uniqueViolation = '23505';

/** Jobs in PostgreSQL. Every due time comes from the database's clock, so clocks of hosts have no influence (P-T5). */
export class PostgresJobStore extends JobStore {
  /** Jobs that this process has stored. */
  private stored = 0;
  private repeatsExpected = 0;

  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async arm(jobs: readonly ArmItem[], delayMs: number): Promise<Armed> {
    const values = [
      bigints(jobs.map(job => job.transactionId)),
      smallints(jobs.map(job => shardOf(job.transactionId))),
      bigints(jobs.map(job => job.merchantId)),
      smallints(jobs.map(job => job.attempt)),
      delayMs,
      texts(jobs.map(job => job.ackTokenHash ?? null)),
    ];
    const rows = (this.mayBeNew(jobs) && (await this.storeNew(values))) || (await this.store(jobSql.arm, values));
    this.stored += jobs.length;
    return {
      decided: new Map(rows.flatMap(row => (row.is_early ? [] : [[Number(row.id), row.kind] as const]))),
      acknowledged: new Map(rows.flatMap(row => (row.is_early ? [[Number(row.id), row.kind] as const] : []))),
    };
  }

  override async keepEarly(acknowledgements: readonly DecisionToRecord[]): Promise<void> {
    await this.dataSource.query(jobSql.keepEarly, [
      scalars(acknowledgements.map(({ transactionId }) => transactionId)),
      texts(acknowledgements.map(({ acknowledgement }) => acknowledgement?.tokenHash ?? null)),
      texts(acknowledgements.map(({ verdict }) => verdict)),
    ]);
  }

  override async watch(items: readonly CloseItem[], delayMs: number): Promise<number> {
    const rows = await this.rows<{ watched: string }>(jobSql.watch, [
      scalars(items.map(item => item.transactionId)),
      scalars(items.map(item => shardOf(item.transactionId))),
      scalars(items.map(item => item.merchantId)),
      delayMs,
    ]);
    return Number(rows[0]!.watched);
  }

  override async scan(cursors: readonly ShardCursor[], window: { withinMs: number; max: number }): Promise<ScannedJobs> {
    const rows = await this.rows<ScanRow>(jobSql.scan, [
      scalars(cursors.map(cursor => cursor.shard)),
      scalars(cursors.map(cursor => cursor.after?.dueAtUs ?? null)),
      scalars(cursors.map(cursor => cursor.after?.transactionId ?? null)),
      window.withinMs,
      window.max,
      lowWaterDistanceMs,
    ]);
    const nowUs = Number(rows.find(row => row.shard === null)!.due_us);
    const jobs = rows.flatMap(({ shard, ...row }) => (shard === null ? [] : [jobFrom({ ...row, shard }, nowUs)]));
    return { jobs, nowUs };
  }

  override async undecided(transactionIds: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.rows<{ id: string; left_ms: string }>(jobSql.undecided, [scalars(transactionIds)]);
    return new Map(rows.map(row => [Number(row.id), Number(row.left_ms)]));
  }

  override async advance(marks: readonly LowWaterMark[]): Promise<void> {
    await this.dataSource.query(jobSql.advance, [
      marks.map(mark => mark.shard),
      marks.map(mark => mark.dueAtUs),
      lowWaterDistanceMs,
    ]);
  }

  override async stateOf(transactionId: number): Promise<ReversalState | undefined> {
    const [row] = await this.rows<StateRow>(jobSql.stateOf, [transactionId]);
    return row && { transactionId, ...stateFrom(row) };
  }

  private mayBeNew(jobs: readonly ArmItem[]): boolean {
    if (this.repeatsExpected === 0) return jobs.every(job => job.attempt === 1);
    this.repeatsExpected--;
    return false;
  }

  /** Undefined, with nothing stored, when one of the jobs was there already: a call whose answer was lost, or the audit. */
  private async storeNew(values: unknown[]): Promise<DecisionRow[] | undefined> {
    try {
      return await this.store(jobSql.armNew, values);
    } catch (error) {
      if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
      this.repeatsExpected = batchesAfterRepeat;
      return undefined;
    }
  }

  private store(statement: PreparedQuery, values: unknown[]): Promise<DecisionRow[]> {
    return preparedQuery(this.dataSource, replannedAsItGrows(statement, this.stored), values);
  }

  private rows<T>(statement: string, parameters: unknown[]): Promise<T[]> {
    return this.dataSource.query<T[]>(statement, parameters);
  }
}

type DecisionRow = { id: string; is_early: false; kind: Decision } | { id: string; is_early: true; kind: VerdictKind };

interface ScanRow {
  id: string;
  merchant: string;
  shard: number | null;
  due_us: string;
}

function jobFrom(row: ScanRow & { shard: number }, nowUs: number): DueJob {
  const dueAtUs = Number(row.due_us);
  return {
    transactionId: Number(row.id),
    merchantId: Number(row.merchant),
    shard: row.shard,
    dueAtUs,
    dueInMs: (dueAtUs - nowUs) / 1_000,
  };
}

interface StateRow {
  armed_at: Date | null;
  due_at: Date | null;
  kind: 'SETTLED' | 'REVERSED' | null;
  at: Date | null;
  reason: ReversalReason | null;
}

function stateFrom(row: StateRow): Omit<ReversalState, 'transactionId'> {
  return {
    state: row.kind ?? 'ARMED',
    armedAt: row.armed_at?.toISOString() ?? null,
    dueAt: row.due_at?.toISOString() ?? null,
    decidedAt: row.at?.toISOString() ?? null,
    reason: row.reason,
  };
}
