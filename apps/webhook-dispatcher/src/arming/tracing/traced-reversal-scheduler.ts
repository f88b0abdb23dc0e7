import type { ArmItem, Decision, SettleItem } from '@paycode/dto';
import { type PaymentTracing, traceAll } from '@paycode/tracing';
import { ReversalScheduler } from '../arming.ports';

/** A scheduler whose calls show in the trace of each payment, and carry it on. */
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
