import { FlushQueue, isolate } from '@paycode/persistence';
import type { ArmAnswer, ArmItem } from '@paycode/dto';
import { timerDelayMs } from './domain/timing';
import type { DecisionStore, JobStore, ReversalMetrics } from './reversal.ports';

export interface ArmReversalsPorts {
  jobs: JobStore;
  decisions: DecisionStore;
  metrics: ReversalMetrics;
}

/** Flow: concurrent requests -> one upsert and commit -> which of them are decided already. */
export class ArmReversals {
  private readonly queue: FlushQueue<ArmItem, ArmAnswer>;

  constructor(
    private readonly ports: ArmReversalsPorts,
    private readonly delayMs = timerDelayMs,
  ) {
    this.queue = new FlushQueue(items => this.flush(items), { flushMax: 2_000, queueMax: 50_000 });
  }

  /**
   * Resolves once every job is durable (R-1-6, P-I5). A decision in the answer means: do not POST. An item whose job the database refuses for its data
   * has no answer, which the dispatcher takes for not armed (P-I5); the others of the call have theirs (T-29).
   */
  async arm(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    const answers: ArmAnswer[] = [];
    await isolate(items, {
      write: async part => void answers.push(...(await this.queue.run(part))),
      failed: ({ transactionId }, error) => this.ports.metrics.setAside('arm', transactionId, error),
    });
    return answers;
  }

  private async flush(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    await this.ports.jobs.arm(lastAttempts(items), this.delayMs);
    this.ports.metrics.armed(items.length);
    // Asked after the commit: a decision made meanwhile is seen, so a POST that cannot matter any more is spared.
    const decided = await this.ports.decisions.find(items.map(item => item.transactionId));
    return items.map(({ transactionId }) => ({ transactionId, decision: decided.get(transactionId) ?? null }));
  }
}

/** One item per transaction: an upsert may touch a row only once. */
function lastAttempts(items: readonly ArmItem[]): ArmItem[] {
  const byId = new Map<number, ArmItem>();
  for (const item of items) {
    const known = byId.get(item.transactionId);
    if (!known || known.attempt < item.attempt) byId.set(item.transactionId, item);
  }
  return [...byId.values()];
}
