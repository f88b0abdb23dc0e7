import type { DeliveryAttempt, DeliverySummary, DeliveryTimeline, ShardOwners, TransactionKind, VerdictKind } from '@paycode/dto';
import type { DataSource } from 'typeorm';

const summary =
  'd.transaction_id as id, d.merchant_id as merchant, d.kind, d.status, d.received_at, v.kind as verdict, v.outcome';
const ofMerchant = '($1::bigint is null or d.merchant_id = $1)';

// Reads each shard from the mark below which every row is resolved, so it reads seconds of traffic, not the whole table.
const openOfShards = `
  select ${summary} from shard l
   cross join lateral (
     select * from delivery d
      where d.shard = l.shard and d.seq >= l.low_seq and not d.stub and ${ofMerchant}
        and not exists (select from verdict v where v.transaction_id = d.transaction_id)
      order by d.seq limit $2) d
    left join verdict v using (transaction_id)`;

/** Statements behind the pages and commands of on-call. */
const sql = {
  timeline: `
  select d.merchant_id as merchant, d.kind, d.reversible, d.epoch, d.received_at,
         v.kind as verdict, v.attempt as verdict_attempt, v.outcome, v.elapsed_ms, v.armed_at, v.started_at, v.at,
         v.unanswered, v.unanswered_ms
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1`,

  attempts: `
  select attempt, started_at, outcome, elapsed_ms, unanswered, unanswered_ms
    from attempt where transaction_id = $1 order by attempt`,

  open: `${openOfShards} order by d.seq desc limit $2`,
  oldest: `${openOfShards} order by d.received_at, d.seq limit $2`,

  // One statement: owners and heartbeats of one instant. It locks nothing; a row without a replica holds the shards of nobody.
  shards: `
  select r.id as replica, r.instance, r.heartbeat,
         coalesce(array_agg(s.shard order by s.shard) filter (where s.shard is not null), '{}') as shards
    from shard s full join replica r on r.id = s.owner
   group by r.id, r.instance, r.heartbeat order by r.instance, r.id`,

  // The last rows of every shard; for one merchant, its rows among the last 1,000 of each shard.
  recent: `
  select ${summary} from shard l
   cross join lateral (
     select * from delivery d where d.shard = l.shard and d.seq > 0
      order by d.seq desc limit case when $1::bigint is null then $2 else 1000 end) d
    left join verdict v using (transaction_id)
   where ${ofMerchant}
   order by d.seq desc limit $2`,
} as const;

export interface DeliveryFilter {
  /** Without a verdict, the newest or the oldest first; or all, the newest first. */
  state: 'open' | 'oldest' | 'recent';
  merchantId: number | null;
  limit: number;
}

interface SentAgain {
  unanswered: string | null;
  unanswered_ms: number | null;
}

interface TimelineRow extends SentAgain {
  merchant: string;
  kind: TransactionKind;
  reversible: boolean;
  epoch: string;
  received_at: Date;
  verdict: VerdictKind | null;
  verdict_attempt: number | null;
  outcome: string | null;
  elapsed_ms: number | null;
  armed_at: Date | null;
  started_at: Date | null;
  at: Date | null;
}

interface AttemptRow extends SentAgain {
  attempt: number;
  started_at: Date;
  outcome: string | null;
  elapsed_ms: number | null;
}

interface SummaryRow {
  id: string;
  merchant: string;
  kind: TransactionKind;
  status: string;
  received_at: Date;
  verdict: VerdictKind | null;
  outcome: string | null;
}

interface OwnerRow {
  replica: string | null;
  instance: string | null;
  heartbeat: string;
  shards: number[];
}

/** Records of deliveries, for operators. Builds timelines from the insert-only rows. */
export class DeliveryLogStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Reads a bounded number of rows. */
  async list({ state, merchantId, limit }: DeliveryFilter): Promise<DeliverySummary[]> {
    const rows = await this.dataSource.query<SummaryRow[]>(sql[state], [merchantId, limit]);
    return rows.map(row => ({
      transactionId: Number(row.id),
      merchantId: Number(row.merchant),
      kind: row.kind,
      status: row.status,
      receivedAt: row.received_at.toISOString(),
      verdict: row.verdict,
      outcome: row.outcome,
    }));
  }

  async shards(): Promise<ShardOwners> {
    const rows = await this.dataSource.query<OwnerRow[]>(sql.shards);
    return {
      count: rows.reduce((count, { shards }) => count + shards.length, 0),
      withoutOwner: rows.flatMap(({ replica, shards }) => (replica === null ? shards : [])),
      replicas: rows.flatMap(({ replica, instance, heartbeat, shards }) =>
        replica === null ? [] : [{ replica, instance, heartbeat: Number(heartbeat), shards: shards.length }],
      ),
    };
  }

  async timeline(transactionId: number): Promise<DeliveryTimeline | undefined> {
    const [row] = await this.dataSource.query<TimelineRow[]>(sql.timeline, [transactionId]);
    if (!row) return undefined;
    const claims = await this.dataSource.query<AttemptRow[]>(sql.attempts, [transactionId]);
    return {
      transactionId,
      merchantId: Number(row.merchant),
      kind: row.kind,
      reversible: row.reversible,
      receivedAt: row.received_at.toISOString(),
      armedAt: row.armed_at?.toISOString() ?? null,
      attempts: attemptsOf(row, claims),
      verdict: verdictOf(row),
    };
  }
}

function verdictOf(row: TimelineRow): DeliveryTimeline['verdict'] {
  if (row.verdict === null) return null;
  return { kind: row.verdict, at: row.at!.toISOString(), elapsedMs: row.elapsed_ms, attempt: row.verdict_attempt };
}

/**
 * Attempt 1 has no row in `attempt` when the insert claimed it. The attempt that led to the verdict takes its times from the verdict; an
 * attempt that a crash interrupted has no outcome.
 */
function attemptsOf(row: TimelineRow, claims: readonly AttemptRow[]): DeliveryAttempt[] {
  const attempts = new Map(claims.map(claim => [claim.attempt, claim]));
  const isFirstImplied = Number(row.epoch) > 0 && !attempts.has(1) && (row.verdict === null || row.verdict_attempt !== null);
  const unknown = { outcome: null, elapsed_ms: null, unanswered: null, unanswered_ms: null };
  if (isFirstImplied) attempts.set(1, { ...unknown, attempt: 1, started_at: row.received_at });
  const decisive = row.verdict_attempt === null ? undefined : attempts.get(row.verdict_attempt);
  if (decisive)
    Object.assign(decisive, {
      outcome: row.outcome,
      elapsed_ms: row.elapsed_ms,
      started_at: row.started_at ?? decisive.started_at,
      unanswered: row.unanswered,
      unanswered_ms: row.unanswered_ms,
    });
  return [...attempts.values()].sort((a, b) => a.attempt - b.attempt).flatMap(requestsOf);
}

/** The requests of an attempt: two when the first went out on a reused connection and got no answer. */
function requestsOf({ attempt, started_at, outcome, elapsed_ms, unanswered, unanswered_ms }: AttemptRow): DeliveryAttempt[] {
  const startedAt = started_at.toISOString();
  if (unanswered === null || unanswered_ms === null) return [{ attempt, startedAt, outcome, elapsedMs: elapsed_ms }];
  const sentAgainAt = new Date(started_at.getTime() + unanswered_ms).toISOString();
  const elapsedMs = elapsed_ms === null ? null : elapsed_ms - unanswered_ms;
  return [
    { attempt, startedAt, outcome: `CONNECTION: ${unanswered}`, elapsedMs: unanswered_ms },
    { attempt, startedAt: sentAgainAt, outcome, elapsedMs },
  ];
}
