import type { AckReceived, VerdictKind } from '@paycode/dto';
import { type DueRepeat, InformationalStore, type RepeatAttempt } from '../../informational/informational.store';
import { type PauseInEffect, PauseReader } from '../../pausing/endpoint-pauses';
import { type OwnedVerdict, VerdictStore } from '../../verdicts/verdict.store';
import type { Verdict } from '../domain/delivery';
import type { AttemptTableRow, DispatcherTables, StatementExecutor, VerdictTableRow } from './dispatcher-tables';

/** The write-once register, statement by statement as `PostgresVerdictStore` has it. */
export class MemoryVerdictStore extends VerdictStore {
  constructor(
    protected readonly tables: DispatcherTables,
    protected readonly execute: StatementExecutor,
  ) {
    super();
  }

  override async acknowledge(all: readonly Verdict[]): Promise<(VerdictKind | null)[]> {
    const written = await this.execute(() => {
      const ids = new Map<number, VerdictKind>();
      for (const verdict of all) if (this.writeAck(verdict)) ids.set(verdict.transactionId, verdict.kind);
      return ids;
    });
    const standing = await this.standing(all.filter(({ transactionId }) => !written.has(transactionId)));
    return all.map(({ transactionId }) => written.get(transactionId) ?? standing.get(transactionId) ?? null);
  }

  /** Two verdicts of one transaction are written one after the other. */
  override async conclude(replica: string, all: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    const answers = new Map<OwnedVerdict, VerdictKind | null>();
    for (let left = [...all]; left.length > 0; left = left.filter(verdict => !answers.has(verdict))) {
      const round = left.filter((verdict, at) => left.findIndex(other => other.transactionId === verdict.transactionId) === at);
      await this.concludeEach(replica, round, answers);
    }
    return all.map(verdict => answers.get(verdict)!);
  }

  private async concludeEach(
    replica: string,
    verdicts: readonly OwnedVerdict[],
    answers: Map<OwnedVerdict, VerdictKind | null>,
  ): Promise<void> {
    const written = await this.execute(() => {
      const mine = verdicts.filter(verdict => this.mayConclude(replica, verdict));
      return new Set(mine.filter(verdict => this.writeConclusion(verdict)));
    });
    const standing = await this.standing(verdicts.filter(verdict => !written.has(verdict)));
    for (const verdict of verdicts)
      answers.set(verdict, written.has(verdict) ? verdict.kind : (standing.get(verdict.transactionId) ?? null));
  }

  /** The fence: only the owner of the shard at that epoch may write. */
  protected mayConclude(replica: string, verdict: OwnedVerdict): boolean {
    return this.tables.holds(replica, verdict);
  }

  protected write(transactionId: number, row: VerdictTableRow): boolean {
    return this.tables.insertVerdict(transactionId, row);
  }

  protected writeAck(verdict: Verdict): boolean {
    if (verdict.kind === 'ACKED_PULL' && this.tables.reversedByCore.get(verdict.transactionId)) return false;
    if (!this.write(verdict.transactionId, rowOf(verdict))) return false;
    this.tables.addAck(verdict.transactionId, ackOf(verdict, new Date(this.tables.nowMs()).toISOString()));
    return true;
  }

  protected writeConclusion(verdict: OwnedVerdict): boolean {
    const { transactionId, shard, attempt, retryAfterMs } = verdict;
    if (!this.write(transactionId, rowOf(verdict))) return false;
    if (retryAfterMs !== null && !this.tables.notices.has(transactionId))
      this.tables.notices.set(transactionId, { shard, attempt: (attempt ?? 0) + 1, dueAtMs: this.tables.nowMs() + retryAfterMs });
    return true;
  }

  private async standing(refused: readonly Verdict[]): Promise<Map<number, VerdictKind>> {
    if (refused.length === 0) return new Map();
    return this.execute(() => {
      const found = refused.flatMap(({ transactionId }) => {
        const row = this.tables.verdicts.get(transactionId);
        return row ? [[transactionId, row.kind] as const] : [];
      });
      return new Map(found);
    });
  }
}

function rowOf({ kind, attempt, startedAt }: Verdict): VerdictTableRow {
  return { kind, attempt, startedAtMs: startedAt?.getTime() ?? null };
}

function ackOf(verdict: Verdict, now: string): AckReceived {
  return {
    transactionId: verdict.transactionId,
    merchantId: verdict.merchantId,
    source: verdict.kind === 'ACKED_PULL' ? 'RECOVERY' : 'WEBHOOK',
    attempt: verdict.attempt ?? 0,
    elapsedMs: verdict.elapsedMs === null ? null : Math.round(verdict.elapsedMs),
    acknowledgedAt: verdict.acknowledgedAt?.toISOString() ?? now,
  };
}

/** Repeats of notices, statement by statement as `PostgresInformationalStore` has them. */
export class MemoryInformationalStore extends InformationalStore {
  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {
    super();
  }

  override takeDue(shards: readonly number[], limit: number, leaseMs: number): Promise<DueRepeat[]> {
    return this.execute(() => {
      const nowMs = this.tables.nowMs();
      const due = [...this.tables.notices].filter(([, notice]) => shards.includes(notice.shard) && notice.dueAtMs <= nowMs);
      return due
        .sort(([, a], [, b]) => a.dueAtMs - b.dueAtMs)
        .slice(0, limit)
        .map(([transactionId, notice]) => {
          notice.dueAtMs = nowMs + leaseMs;
          const row = this.tables.deliveries.get(transactionId)!;
          const { merchantId, seq, payload } = row;
          const { shard, attempt } = notice;
          const stored = { transactionId, merchantId, shard, seq, payload: payload!, isReversible: false };
          return { ...stored, attempt, attemptsClaimed: attempt - 1, version: this.tables.versionOf(row), ageMs: 0 };
        });
    });
  }

  override finish(attempts: readonly RepeatAttempt[]): Promise<void> {
    return this.execute(() => {
      for (const { transactionId, attempt, epoch, version, retryAfterMs } of attempts) {
        const claims = this.tables.attempts.get(transactionId) ?? new Map<number, AttemptTableRow>();
        if (!claims.has(attempt)) this.tables.attempts.set(transactionId, claims.set(attempt, { epoch, version }));
        const notice = this.tables.notices.get(transactionId);
        if (!notice || notice.attempt !== attempt) continue;
        if (retryAfterMs === null) this.tables.notices.delete(transactionId);
        else Object.assign(notice, { attempt: attempt + 1, dueAtMs: this.tables.nowMs() + retryAfterMs });
      }
    });
  }

  override redeliver(): Promise<never> {
    return Promise.reject(new Error('the simulation has no redelivery by an operator'));
  }
}

/** Pauses in effect, statement by statement as `PauseStore` has them. */
export class MemoryPauses extends PauseReader {
  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {
    super();
  }

  override inEffect(): Promise<PauseInEffect[]> {
    return this.execute(() => {
      const nowMs = this.tables.nowMs();
      const pauses = [...this.tables.pauses].map(([endpoint, endsAtMs]) => ({ endpoint, leftMs: endsAtMs - nowMs }));
      return pauses.filter(({ leftMs }) => leftMs > 0);
    });
  }
}
