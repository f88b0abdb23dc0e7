import { type DueRepeat, type RepeatAttempt, InformationalStore } from '../../informational/informational.store';
import type { DispatcherTables } from './dispatcher-tables';
import type { StatementExecutor } from './statement-executor';

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
          const { merchantId, seq, payload } = this.tables.deliveries.get(transactionId)!;
          const { shard, attempt } = notice;
          const stored = { transactionId, merchantId, shard, seq, payload: payload!, isReversible: false };
          return { ...stored, attempt, attemptsClaimed: attempt - 1, ageMs: 0 };
        });
    });
  }

  override finish(attempts: readonly RepeatAttempt[]): Promise<void> {
    return this.execute(() => {
      for (const { transactionId, attempt, epoch, retryAfterMs } of attempts) {
        const claims = this.tables.attempts.get(transactionId) ?? new Map<number, number>();
        if (!claims.has(attempt)) this.tables.attempts.set(transactionId, claims.set(attempt, epoch));
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
