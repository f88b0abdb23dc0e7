import type { DataSource } from 'typeorm';
import type { StoredDelivery } from '../deliveries/deliveries.ports';
import { keptVersion } from '../deliveries/persistence/delivery.sql';
import type { Unanswered } from '../deliveries/domain/delivery';

/** Statements of informational deliveries that are repeated. */
const sql = {
  takeDue: `
  with due as materialized (
    select transaction_id from notice_retry where shard = any($1::smallint[]) and due_at <= statement_timestamp()
     order by due_at limit $2 for update skip locked)
  update notice_retry n set due_at = clock_timestamp() + $3 * interval '1 millisecond'
    from due join delivery d using (transaction_id)
   where n.transaction_id = due.transaction_id
  returning n.transaction_id as id, n.attempt, n.shard, d.seq, d.merchant_id as merchant, d.payload,
            ${keptVersion} as version`,

  finish: `
  with input as (
    select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::text[], $5::integer[], $6::timestamptz[], $7::bigint[],
                         $8::text[], $9::integer[], $10::text[])
      as t(transaction_id, attempt, epoch, outcome, elapsed_ms, started_at, retry_ms, unanswered, unanswered_ms, version)),
  recorded as (
    insert into attempt (transaction_id, attempt, epoch, outcome, elapsed_ms, started_at, unanswered, unanswered_ms, version)
    select transaction_id, attempt, epoch, outcome, elapsed_ms, coalesce(started_at, clock_timestamp()), unanswered, unanswered_ms, version
      from input order by 1
    on conflict do nothing),
  over as (
    delete from notice_retry n using input i
     where n.transaction_id = i.transaction_id and n.attempt = i.attempt and i.retry_ms is null)
  update notice_retry n set attempt = n.attempt + 1, due_at = clock_timestamp() + i.retry_ms * interval '1 millisecond'
    from input i
   where n.transaction_id = i.transaction_id and n.attempt = i.attempt and i.retry_ms is not null`,

  redeliver: `
  with found as (
    select d.reversible, v.kind is not null as concluded, coalesce(v.attempt, 0) as first,
           (select coalesce(max(a.attempt), 0) from attempt a where a.transaction_id = d.transaction_id) as last
      from delivery d left join verdict v using (transaction_id)
     where d.transaction_id = $1 and not d.stub),
  scheduled as (
    insert into notice_retry (transaction_id, shard, attempt, due_at)
    select $1, $2, greatest(first, last) + 1, clock_timestamp() from found where not reversible and concluded
    on conflict (transaction_id) do update set due_at = least(notice_retry.due_at, clock_timestamp()))
  select case when reversible then 'MOVES_MONEY' when concluded then 'SCHEDULED' else 'UNDER_WAY' end as outcome from found`,
} as const;

/** Informational deliveries: they move no money and are tried again. */
export abstract class InformationalStore {
  /** Takes up to `limit` due repeats of the shards for `leaseMs`; a crash meanwhile makes them due again after it. */
  abstract takeDue(shards: readonly number[], limit: number, leaseMs: number): Promise<DueRepeat[]>;
  /** Records attempts. A delivery with a pause is due again after it; one without a pause is finished. */
  abstract finish(attempts: readonly RepeatAttempt[]): Promise<void>;
  /** Makes a delivery due now, once more. */
  abstract redeliver(transactionId: number, shard: number): Promise<'SCHEDULED' | 'UNKNOWN' | 'MOVES_MONEY' | 'UNDER_WAY'>;
}

export interface DueRepeat extends StoredDelivery {
  /** Attempt that is due. */
  attempt: number;
}

export interface RepeatAttempt {
  transactionId: number;
  attempt: number;
  epoch: number;
  version: string;
  outcome: string | null;
  elapsedMs: number | null;
  startedAt: Date | null;
  retryAfterMs: number | null;
  unanswered?: Unanswered | undefined;
}

interface DueRow {
  id: string;
  attempt: number;
  shard: number;
  seq: string;
  merchant: string;
  payload: string;
  version: string | null;
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
      version: row.version,
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
      attempts.map(each => each.version),
    ]);
  }

  override async redeliver(transactionId: number, shard: number): Promise<Redelivery> {
    const [row] = await this.dataSource.query<{ outcome: Redelivery }[]>(sql.redeliver, [transactionId, shard]);
    return row?.outcome ?? 'UNKNOWN';
  }
}
