import type { DeliveryAttempt, DeliverySummary, DeliveryTimeline, TransactionKind, VerdictKind } from '@paycode/dto';
import type { DataSource } from 'typeorm';
import { type DeliveryFilter, DeliveryLog } from '../on-call.ports';
import { deliveryLogSql as sql } from './delivery-log.sql';

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

interface SummaryRow {
  id: string;
  merchant: string;
  kind: TransactionKind;
  status: string;
  received_at: Date;
  verdict: VerdictKind | null;
  outcome: string | null;
}

/** Builds timelines from the insert-only rows. */
export class PostgresDeliveryLogStore extends DeliveryLog {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async list({ isOpen, merchantId, limit }: DeliveryFilter): Promise<DeliverySummary[]> {
    const rows = await this.dataSource.query<SummaryRow[]>(isOpen ? sql.open : sql.recent, [merchantId, limit]);
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
