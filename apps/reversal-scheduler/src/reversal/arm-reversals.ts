import { FlushQueue, isolate } from '@paycode/persistence';
import type { ArmAnswer, ArmItem } from '@paycode/dto';
import { timerDelayMs } from './domain/timing';
import type { DecisionStore, JobStore, ReversalMetrics } from './reversal.ports';

export interface ArmReversalsPorts {
  jobs: JobStore;
  decisions: DecisionStore;
  metrics: ReversalMetrics;
}

/** Flow: concurrent requests -> one upsert and commit -> the decisions that exist already. */
export class ArmReversals {
  private readonly queue: FlushQueue<ArmItem, ArmAnswer>;

  constructor(
    private readonly ports: ArmReversalsPorts,
    private readonly delayMs = timerDelayMs,
  ) {
    this.queue = new FlushQueue(items => this.flush(items), { flushMax: 2_000, queueMax: 50_000 });
  }

  /**
   * Resolves once every job is durable (R-1-6, P-I5). A decision in the answer means: do not POST. An item whose data the database refuses
   * has no answer, and the dispatcher treats it as not armed (P-I5). The other items of the call get their answers (T-29).
   */
  async arm(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    const answers: ArmAnswer[] = [];
    await isolate(items, {
      write: async part => void answers.push(...(await this.queue.run(part))),
      failed: ({ transactionId }, error) => this.ports.metrics.workParked('arm', transactionId, error),
    });
    return answers;
  }

  private async flush(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    await this.ports.jobs.arm(lastAttempts(items), this.delayMs);
    this.ports.metrics.armed(items.length);
    // Reads after the commit, so that it sees a decision made meanwhile and the dispatcher skips a useless POST.
    const decided = await this.ports.decisions.find(items.map(item => item.transactionId));
    return items.map(({ transactionId }) => ({ transactionId, decision: decided.get(transactionId) ?? null }));
  }
}

/** Keeps one item per transaction, because an upsert may change a row only once. */
function lastAttempts(items: readonly ArmItem[]): ArmItem[] {
  const byId = new Map<number, ArmItem>();
  for (const item of items) {
    const known = byId.get(item.transactionId);
    if (!known || known.attempt < item.attempt) byId.set(item.transactionId, item);
  }
  return [...byId.values()];
}
