import type { TransactionTerminal } from '@paycode/dto';
import { timerDelayMs } from './domain/timing';
import type { JobStore, ReversalMetrics } from './reversal.ports';

export interface WatchTerminalsPorts {
  jobs: JobStore;
  metrics: ReversalMetrics;
}

/**
 * Flow: TransactionTerminal, 15 minutes old -> a job, when the payment has neither job nor decision. So a payment whose event the
 * dispatcher lost or never armed still ends (P-1.5); the timer asks `close` as for any other job. The job gets the same delay as an armed
 * one. If it were due at once, it would lie before the position up to which the timers have read its shard, and they would never find it,
 * as they do not find a job that became visible after its due time: an undecided job that is overdue gets that delay, too.
 */
export class WatchTerminals {
  constructor(
    private readonly ports: WatchTerminalsPorts,
    private readonly delayMs = timerDelayMs,
  ) {}

  async watch(terminals: readonly TransactionTerminal[]): Promise<void> {
    // Only a successful purchase is ever armed or reversed (P-I13, A-01, A-02).
    const reversible = terminals.filter(({ kind, status }) => kind === 'PURCHASE' && status === 'SUCCESS');
    if (reversible.length === 0) return;
    const watched = await this.ports.jobs.watch(
      reversible.map(({ transactionId, merchantId }) => ({ transactionId, merchantId })),
      this.delayMs,
    );
    if (watched > 0) this.ports.metrics.watched(watched);
  }
}
