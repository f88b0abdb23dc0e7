import type { ArmItem, CloseItem, Decision, ReversalReason, ReversalState } from '@paycode/dto';
import { bigints, type PreparedQuery, preparedQuery, replannedAsItGrows, scalars, smallints } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import { shardOf } from '@paycode/ownership';
import { type DueJob, JobStore, type LowWaterMark, type ScannedJobs, type ShardCursor } from '../reversal.ports';
import { jobSql as sql } from './job.sql';

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

  override async arm(jobs: readonly ArmItem[], delayMs: number): Promise<Map<number, Decision>> {
    const values = [
      bigints(jobs.map(job => job.transactionId)),
      smallints(jobs.map(job => shardOf(job.transactionId))),
      bigints(jobs.map(job => job.merchantId)),
      smallints(jobs.map(job => job.attempt)),
      delayMs,
    ];
    const rows = (this.mayBeNew(jobs) && (await this.storeNew(values))) || (await this.store(sql.arm, values));
    this.stored += jobs.length;
    return new Map(rows.map(row => [Number(row.id), row.kind]));
  }

  override async watch(items: readonly CloseItem[], delayMs: number): Promise<number> {
    const rows = await this.rows<{ watched: string }>(sql.watch, [
      scalars(items.map(item => item.transactionId)),
      scalars(items.map(item => shardOf(item.transactionId))),
      scalars(items.map(item => item.merchantId)),
      delayMs,
    ]);
    return Number(rows[0]!.watched);
  }

  override async scan(cursors: readonly ShardCursor[], window: { withinMs: number; max: number }): Promise<ScannedJobs> {
    const rows = await this.rows<ScanRow>(sql.scan, [
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
    const rows = await this.rows<{ id: string; left_ms: string }>(sql.undecided, [scalars(transactionIds)]);
    return new Map(rows.map(row => [Number(row.id), Number(row.left_ms)]));
  }

  override async advance(marks: readonly LowWaterMark[]): Promise<void> {
    await this.dataSource.query(sql.advance, [
      marks.map(mark => mark.shard),
      marks.map(mark => mark.dueAtUs),
      lowWaterDistanceMs,
    ]);
  }

  override async stateOf(transactionId: number): Promise<ReversalState | undefined> {
    const [row] = await this.rows<StateRow>(sql.stateOf, [transactionId]);
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
      return await this.store(sql.armNew, values);
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

interface DecisionRow {
  id: string;
  kind: Decision;
}

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
