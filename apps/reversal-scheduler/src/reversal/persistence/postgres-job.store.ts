import type { ArmItem, CloseItem, ReversalReason, ReversalState } from '@paycode/dto';
import { preparedQuery, scalars } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import { shardOf } from '@paycode/ownership';
import { type DueJob, JobStore, type LowWaterMark, type ScannedJobs, type ShardCursor } from '../reversal.ports';
import { jobSql as sql } from './job.sql';

/**
 * A row becomes visible when its transaction ends, which is after its due time was computed. Marks therefore stay this
 * far behind.
 */
const lowWaterDistanceMs = 120_000;

/** Jobs in PostgreSQL. Every due time comes from the database's clock, so clocks of hosts have no influence (P-T5). */
export class PostgresJobStore extends JobStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async arm(jobs: readonly ArmItem[], delayMs: number): Promise<void> {
    await preparedQuery(this.dataSource, sql.arm, [
      scalars(jobs.map(job => job.transactionId)),
      scalars(jobs.map(job => shardOf(job.transactionId))),
      scalars(jobs.map(job => job.merchantId)),
      scalars(jobs.map(job => job.attempt)),
      delayMs,
    ]);
  }

  override async watch(items: readonly CloseItem[], delayMs: number): Promise<number> {
    const rows = await this.rows<{ watched: string }>(sql.watch, [
      items.map(item => item.transactionId),
      items.map(item => shardOf(item.transactionId)),
      items.map(item => item.merchantId),
      delayMs,
    ]);
    return Number(rows[0]!.watched);
  }

  override async scan(cursors: readonly ShardCursor[], window: { withinMs: number; max: number }): Promise<ScannedJobs> {
    const rows = await this.rows<ScanRow>(sql.scan, [
      cursors.map(cursor => cursor.shard),
      cursors.map(cursor => cursor.after?.dueAtUs ?? null),
      cursors.map(cursor => cursor.after?.transactionId ?? null),
      window.withinMs,
      window.max,
      lowWaterDistanceMs,
    ]);
    const jobs = rows.flatMap(({ shard, ...row }) => (shard === null ? [] : [jobFrom({ ...row, shard })]));
    return { jobs, nowUs: Number(rows.find(row => row.shard === null)!.due_us) };
  }

  override async undecided(transactionIds: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.rows<{ id: string; left_ms: string }>(sql.undecided, [transactionIds]);
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

  private rows<T>(statement: string, parameters: unknown[]): Promise<T[]> {
    return this.dataSource.query<T[]>(statement, parameters);
  }
}

interface ScanRow {
  id: string;
  merchant: string;
  shard: number | null;
  due_us: string;
  left_ms: string;
}

function jobFrom(row: ScanRow & { shard: number }): DueJob {
  return {
    transactionId: Number(row.id),
    merchantId: Number(row.merchant),
    shard: row.shard,
    dueAtUs: Number(row.due_us),
    dueInMs: Number(row.left_ms),
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
