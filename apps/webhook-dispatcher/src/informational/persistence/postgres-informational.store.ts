import type { DataSource } from 'typeorm';
import { type DueRepeat, type RepeatAttempt, InformationalStore } from '../informational.ports';
import { informationalSql as sql } from './informational.sql';

interface DueRow {
  id: string;
  attempt: number;
  shard: number;
  seq: string;
  merchant: string;
  payload: string;
}

type Redelivery = Awaited<ReturnType<InformationalStore['redeliver']>>;

/** Pending repeats of informational deliveries in PostgreSQL. */
export class PostgresInformationalStore extends InformationalStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async takeDue(shards: readonly number[], limit: number, leaseMs: number): Promise<DueRepeat[]> {
    const [rows] = await this.dataSource.query<[DueRow[], number]>(sql.takeDue, [shards, limit, leaseMs]);
    return rows.map(row => ({
      transactionId: Number(row.id),
      merchantId: Number(row.merchant),
      shard: row.shard,
      seq: Number(row.seq),
      isReversible: false,
      payload: row.payload,
      attempt: row.attempt,
      attemptsClaimed: row.attempt - 1,
      ageMs: 0,
    }));
  }

  override async finish(attempts: readonly RepeatAttempt[]): Promise<void> {
    await this.dataSource.query(sql.finish, [
      attempts.map(each => each.transactionId),
      attempts.map(each => each.attempt),
      attempts.map(each => each.epoch),
      attempts.map(each => each.outcome),
      attempts.map(each => (each.elapsedMs === null ? null : Math.round(each.elapsedMs))),
      attempts.map(each => each.startedAt),
      attempts.map(each => each.retryAfterMs),
      attempts.map(each => each.unanswered?.code ?? null),
      attempts.map(each => (each.unanswered ? Math.round(each.unanswered.elapsedMs) : null)),
    ]);
  }

  override async redeliver(transactionId: number, shard: number): Promise<Redelivery> {
    const [row] = await this.dataSource.query<{ outcome: Redelivery }[]>(sql.redeliver, [transactionId, shard]);
    return row?.outcome ?? 'UNKNOWN';
  }
}
