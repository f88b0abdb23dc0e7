import { FlushQueue, isolate } from '@paycode/persistence';
import type { ArmAnswer, ArmItem } from '@paycode/dto';
import { timerDelayMs } from './domain/timing';
import { decisionFor } from './domain/decision';
import type { Armed, DecisionStore, JobStore, ReversalMetrics } from './reversal.ports';

export interface ArmReversalsPorts {
  jobs: JobStore;
  decisions: Pick<DecisionStore, 'decide'>;
  metrics: ReversalMetrics;
}

/** Batches that are stored at the same time. */
const lanes = 2;
/** The first lane stores alone while fewer items than this wait for it: under little load, more requests then share a statement. */
const laneFullAt = 1_000;
const queueMax = 50_000;

/** Flow: concurrent requests -> one upsert and commit, which tells the decisions that exist already. */
export class ArmReversals {
  private readonly queues: FlushQueue<ArmItem, ArmAnswer>[];

  constructor(
    private readonly ports: ArmReversalsPorts,
    private readonly delayMs = timerDelayMs,
  ) {
    const limits = { flushMax: 2_000, queueMax: queueMax / lanes };
    this.queues = Array.from({ length: lanes }, () => new FlushQueue(items => this.flush(items), limits));
  }

  /**
   * Resolves once every job is durable (R-1-6, P-I5). A decision in the answer means: do not POST. An item whose data the database refuses
   * has no answer, and the dispatcher treats it as not armed (P-I5). The other items of the call get their answers (T-29).
   */
  async arm(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    const answers: ArmAnswer[] = [];
    await isolate(items, {
      write: async part => void answers.push(...(await this.lane().run(part))),
      failed: ({ transactionId }, error) => this.ports.metrics.workParked('arm', transactionId, error),
    });
    return answers;
  }

  private lane(): FlushQueue<ArmItem, ArmAnswer> {
    const [first, ...others] = this.queues as [FlushQueue<ArmItem, ArmAnswer>, ...FlushQueue<ArmItem, ArmAnswer>[]];
    if (first.depth < laneFullAt) return first;
    return others.reduce((least, queue) => (queue.depth < least.depth ? queue : least), first);
  }

  private async flush(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    const jobs = lastAttempts(items);
    const { decided, acknowledged } = await this.ports.jobs.arm(jobs, this.delayMs);
    this.ports.metrics.armed(items.length);
    if (acknowledged.size > 0) await this.settle(jobs, { decided, acknowledged });
    return items.map(({ transactionId }) => ({ transactionId, decision: decided.get(transactionId) ?? null }));
  }

  /** A read before the arming, or the events of before a restore: the payment is settled and must not be posted. */
  private async settle(jobs: readonly ArmItem[], { decided, acknowledged }: Armed): Promise<void> {
    const early = jobs.flatMap(({ transactionId, merchantId }) => {
      const verdict = acknowledged.get(transactionId);
      return verdict && !decided.has(transactionId) ? [decisionFor({ transactionId, merchantId, verdict })] : [];
    });
    const outcomes = await this.ports.decisions.decide(early);
    for (const { transactionId, decision, isNew } of outcomes) {
      if (decision) decided.set(transactionId, decision);
      if (isNew && decision) this.ports.metrics.decided(decision, 1);
    }
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
