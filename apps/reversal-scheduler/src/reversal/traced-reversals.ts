import type { ArmAnswer, ArmItem, CloseAnswer, CloseItem } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/service-runtime/tracing';
import { ArmReversals, type ArmReversalsPorts } from './arm-reversals';
import { DecideReversals, type DecideReversalsPorts } from './decide-reversals';
import type { VerdictToDecide } from './domain/decision';
import { type DecisionOutcome, DeliveryCloser } from './reversal.ports';

/** Records each arm in the trace of the payment, and continues that trace in the scheduler. */
export class TracedArmReversals extends ArmReversals {
  constructor(
    ports: ArmReversalsPorts,
    delayMs: number,
    private readonly tracing: PaymentTracing,
  ) {
    super(ports, delayMs);
  }

  override arm(items: readonly ArmItem[]): Promise<ArmAnswer[]> {
    for (const { transactionId, traceparent } of items) this.tracing.adopt(transactionId, traceparent);
    return traceAll(this.tracing, { items, name: 'arm', kind: 'server' }, () => super.arm(items));
  }
}

/** Records each decision in the trace of the payment. */
export class TracedDecideReversals extends DecideReversals {
  constructor(
    ports: DecideReversalsPorts,
    private readonly tracing: PaymentTracing,
  ) {
    super(ports);
  }

  override decide(verdicts: readonly VerdictToDecide[]): Promise<DecisionOutcome[]> {
    for (const { transactionId, traceparent } of verdicts) this.tracing.adopt(transactionId, traceparent);
    const items = [...verdicts];
    return traceAll(this.tracing, { items, name: 'decide', kind: 'internal' }, async (_carried, spans) => {
      const outcomes = await super.decide(verdicts);
      for (const { transactionId, decision } of outcomes) spans.end(transactionId, { outcome: decision ?? 'UNPROVEN' });
      return outcomes;
    });
  }
}

/** Records each call of close, with its answer, in the trace of the payment. */
export class TracedDeliveryCloser extends DeliveryCloser {
  constructor(
    private readonly closer: DeliveryCloser,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override close(items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    return traceAll(this.tracing, { items, name: 'close', kind: 'client' }, async (_carried, spans) => {
      const answers = await this.closer.close(items);
      for (const { transactionId, verdict } of answers) spans.end(transactionId, { outcome: verdict });
      return answers;
    });
  }
}
