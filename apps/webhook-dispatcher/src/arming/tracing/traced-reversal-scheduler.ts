import type { ArmItem, Decision, SettleItem } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import { ReversalScheduler } from '../reversal-scheduler.client';

/** A scheduler client that records each call in the trace of the payment and passes the trace on to the scheduler. */
export class TracedReversalScheduler extends ReversalScheduler {
  constructor(
    private readonly scheduler: ReversalScheduler,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>> {
    return traceAll(this.tracing, { items, name: 'arm', kind: 'client' }, carried => this.scheduler.arm(carried));
  }

  override settle(items: readonly SettleItem[]): Promise<void> {
    return traceAll(this.tracing, { items, name: 'settle', kind: 'client' }, carried => this.scheduler.settle(carried));
  }
}
