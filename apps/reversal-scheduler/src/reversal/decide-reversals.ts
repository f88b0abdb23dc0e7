import { FlushQueue, isolate } from '@paycode/persistence';
import type { SettleItem } from '@paycode/dto';
import { decisionFor, type DecisionToRecord, type VerdictToDecide } from './domain/decision';
import type { DecisionOutcome, DecisionStore, ReversalMetrics } from './reversal.ports';

export interface DecideReversalsPorts {
  decisions: DecisionStore;
  metrics: ReversalMetrics;
}

/**
 * Flow: verdict of the dispatcher (settle call, AckReceived, answer of close) -> write-once decision, with ReversalRequested in the
 * same commit when it is REVERSED. The verdict is the only input: no clock and no timer decides.
 */
export class DecideReversals {
  private readonly queue: FlushQueue<DecisionToRecord, DecisionOutcome>;

  constructor(private readonly ports: DecideReversalsPorts) {
    this.queue = new FlushQueue(items => this.flush(items), { flushMax: 2_000, queueMax: 50_000 });
  }

  /** Resolves to the valid decisions, in order, when they are durable. Repeating it changes nothing (P-I10). */
  decide(verdicts: readonly VerdictToDecide[]): Promise<DecisionOutcome[]> {
    return this.queue.run(verdicts.map(decisionFor));
  }

  /**
   * As `decide`, but a verdict whose data the database refuses does not stop the others (T-29). Returns the transactions that stay
   * undecided. They are neither settled nor reversed, so no money moves; the dispatcher keeps the verdict, and the timer asks for it again.
   */
  async decideEach(verdicts: readonly SettleItem[]): Promise<ReadonlySet<number>> {
    const undecided = new Set<number>();
    await isolate(verdicts, {
      write: async part => void (await this.decide(part)),
      failed: ({ transactionId }, error) => {
        undecided.add(transactionId);
        this.ports.metrics.workParked('decide', transactionId, error);
      },
    });
    return undecided;
  }

  private async flush(items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> {
    const outcomes = await this.ports.decisions.decide(items);
    this.count(outcomes);
    items.forEach((item, at) => this.reportContradiction(item, outcomes[at]!));
    return outcomes;
  }

  private count(outcomes: readonly DecisionOutcome[]): void {
    for (const decision of ['SETTLED', 'REVERSED'] as const) {
      const count = outcomes.filter(outcome => outcome.isNew && outcome.decision === decision).length;
      if (count > 0) this.ports.metrics.decided(decision, count);
    }
  }

  /**
   * The first decision is final (P-I1). A different verdict after it means that a guard has failed: this raises an alarm and changes
   * nothing.
   */
  private reportContradiction(item: DecisionToRecord, outcome: DecisionOutcome): void {
    if (outcome.unproven || outcome.decision === item.decision) return;
    const kind = item.decision === 'SETTLED' ? 'ack_after_reversed' : 'closed_after_settled';
    this.ports.metrics.contradicted(kind, item.transactionId);
  }
}
