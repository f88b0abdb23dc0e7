import type { ArmAnswer, ArmItem } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import { ArmReversals, type ArmReversalsPorts } from '../arm-reversals';

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
