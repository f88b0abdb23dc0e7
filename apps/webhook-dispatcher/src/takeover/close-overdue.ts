import type { Clock } from '@paycode/service-runtime/timing';
import type { AttemptRules } from '../deliveries/domain/attempt-rules';
import type { Delivery } from '../deliveries/domain/delivery';
import type { DeliveryQueue } from '../queueing/delivery-queue';
import type { ConcludeDelivery } from '../verdicts/conclude-delivery';
import type { TakeOverDeliveries } from './take-over-deliveries';

/** Flow: deliveries that have waited for a slot longer than B -> closed without an attempt (A-12, P-1.2-10). Runs in passes. */
export class CloseOverdue {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly concluding: ConcludeDelivery,
    readonly rules: Pick<AttemptRules, 'dispatchWindowMs'>,
    private readonly parts: { clock: Clock; takeover: Pick<TakeOverDeliveries, 'fenced'> },
  ) {}

  /** Does not wait until the verdicts are written: one whose own data prevents that would stop all later passes (T-29). */
  pass(): void {
    const overdue = this.queue.takeWaitingSince(this.parts.clock.nowMs() - this.rules.dispatchWindowMs);
    for (const delivery of overdue) void this.close(delivery);
  }

  private async close(delivery: Delivery): Promise<void> {
    const concluded = await this.concluding.heldBack(delivery);
    this.queue.finish(delivery);
    if (concluded.next === 'FENCED') this.parts.takeover.fenced(delivery);
  }
}
