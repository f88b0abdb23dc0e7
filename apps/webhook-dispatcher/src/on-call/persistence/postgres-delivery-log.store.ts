import type { DeliveryAttempt, DeliverySummary, DeliveryTimeline, TransactionKind, VerdictKind } from '@paycode/dto';
import type { DataSource } from 'typeorm';
import { type DeliveryFilter, DeliveryLog } from '../on-call.ports';

interface TimelineRow {
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

interface AttemptRow {
  attempt: number;
  started_at: Date;
  outcome: string | null;
  elapsed_ms: number | null;
}

const timelineSql = `
  select d.merchant_id as merchant, d.kind, d.reversible, d.epoch, d.received_at,
         v.kind as verdict, v.attempt as verdict_attempt, v.outcome, v.elapsed_ms, v.armed_at, v.started_at, v.at
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1`;

const attemptsSql = 'select attempt, started_at, outcome, elapsed_ms from attempt where transaction_id = $1 order by attempt';

interface SummaryRow {
  id: string;
  merchant: string;
  kind: TransactionKind;
  status: string;
  received_at: Date;
  verdict: VerdictKind | null;
  outcome: string | null;
}

const summary =
  'd.transaction_id as id, d.merchant_id as merchant, d.kind, d.status, d.received_at, v.kind as verdict, v.outcome';
const ofMerchant = '($1::bigint is null or d.merchant_id = $1)';

// Reads each shard from the mark below which every row is resolved: seconds of traffic, not the whole table.
const openSql = `
  select ${summary} from shard l
   cross join lateral (
     select * from delivery d
      where d.shard = l.shard and d.seq >= l.low_seq and not d.stub and ${ofMerchant}
        and not exists (select from verdict v where v.transaction_id = d.transaction_id)
      order by d.seq limit $2) d
    left join verdict v using (transaction_id)
   order by d.seq desc limit $2`;

// The last rows of every shard; for one merchant, its rows among the last 1,000 of each shard.
const recentSql = `
  select ${summary} from shard l
   cross join lateral (
     select * from delivery d where d.shard = l.shard and d.seq > 0
      order by d.seq desc limit case when $1::bigint is null then $2 else 1000 end) d
    left join verdict v using (transaction_id)
   where ${ofMerchant}
   order by d.seq desc limit $2`;

/** Builds timelines from the insert-only rows. */
export class PostgresDeliveryLogStore extends DeliveryLog {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async list({ isOpen, merchantId, limit }: DeliveryFilter): Promise<DeliverySummary[]> {
    const rows = await this.dataSource.query<SummaryRow[]>(isOpen ? openSql : recentSql, [merchantId, limit]);
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

  override async timeline(transactionId: number): Promise<DeliveryTimeline | undefined> {
    const [row] = await this.dataSource.query<TimelineRow[]>(timelineSql, [transactionId]);
    if (!row) return undefined;
    const claims = await this.dataSource.query<AttemptRow[]>(attemptsSql, [transactionId]);
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
  if (isFirstImplied) attempts.set(1, { attempt: 1, started_at: row.received_at, outcome: null, elapsed_ms: null });
  const decisive = row.verdict_attempt === null ? undefined : attempts.get(row.verdict_attempt);
  if (decisive)
    Object.assign(decisive, {
      outcome: row.outcome,
      elapsed_ms: row.elapsed_ms,
      started_at: row.started_at ?? decisive.started_at,
    });
  return [...attempts.values()]
    .sort((a, b) => a.attempt - b.attempt)
    .map(({ attempt, started_at, outcome, elapsed_ms }) => ({
      attempt,
      startedAt: started_at.toISOString(),
      outcome,
      elapsedMs: elapsed_ms,
    }));
}
