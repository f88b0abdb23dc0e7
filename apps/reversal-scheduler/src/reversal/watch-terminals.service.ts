import type { TransactionTerminal } from '@paycode/dto';
import { timerDelayMs } from './domain/timing';
import type { JobStore, ReversalMetrics } from './reversal.ports';

export interface WatchTerminalsPorts {
  jobs: JobStore;
  metrics: ReversalMetrics;
}

/**
 * Flow: TransactionTerminal, 15 minutes old -> a job, when the payment has neither job nor decision. So an event that the
 * dispatcher lost or never armed still ends (protocol 1.5); the timer asks `close` as for any other job. The job is due as late as an armed
 * one: due at once, it would stand behind what the timers of its shard have read already, and nobody would find it.
 */
export class WatchTerminals {
  constructor(
    private readonly ports: WatchTerminalsPorts,
    private readonly delayMs = timerDelayMs,
  ) {}

  async watch(terminals: readonly TransactionTerminal[]): Promise<void> {
    // Nothing but a successful purchase is ever armed or reversed (P-I13, A-01, A-02).
    const reversible = terminals.filter(({ kind, status }) => kind === 'PURCHASE' && status === 'SUCCESS');
    if (reversible.length === 0) return;
    const watched = await this.ports.jobs.watch(
      reversible.map(({ transactionId, merchantId }) => ({ transactionId, merchantId })),
      this.delayMs,
    );
    if (watched > 0) this.ports.metrics.watched(watched);
  }
}
