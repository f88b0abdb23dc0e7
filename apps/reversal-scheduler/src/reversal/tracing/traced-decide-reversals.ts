import type { SettleItem } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import { DecideReversals, type DecideReversalsPorts } from '../decide-reversals';
import type { DecisionOutcome } from '../reversal.ports';

/** Records each decision in the trace of the payment. */
export class TracedDecideReversals extends DecideReversals {
  constructor(
    ports: DecideReversalsPorts,
    private readonly tracing: PaymentTracing,
  ) {
    super(ports);
  }

  override decide(verdicts: readonly SettleItem[]): Promise<DecisionOutcome[]> {
    for (const { transactionId, traceparent } of verdicts) this.tracing.adopt(transactionId, traceparent);
    const items = [...verdicts];
    return traceAll(this.tracing, { items, name: 'decide', kind: 'internal' }, async (_carried, spans) => {
      const outcomes = await super.decide(verdicts);
      for (const { transactionId, decision } of outcomes) spans.end(transactionId, { outcome: decision });
      return outcomes;
    });
  }
}
