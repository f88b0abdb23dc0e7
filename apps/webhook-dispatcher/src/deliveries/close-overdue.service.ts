import type { Clock } from '../clock';
import type { ConcludeDelivery } from './conclude-delivery.service';
import type { DeliveryDesk } from './delivery-desk.service';
import type { OnFenced } from './dispatch-webhook.service';
import type { AttemptRules } from './domain/attempt-plan';
import type { Delivery } from './domain/delivery';

/** Flow: what has waited for a slot longer than B -> closed without an attempt (A-12, row 10). Driven by turns. */
export class CloseOverdue {
  constructor(
    private readonly desk: DeliveryDesk,
    private readonly concluding: ConcludeDelivery,
    readonly rules: Pick<AttemptRules, 'dispatchWindowMs'>,
    private readonly options: { clock: Clock; onFenced: OnFenced },
  ) {}

  /** Does not wait for the ends to be written: one that its own data keeps from it would stop all later turns (T-29). */
  turn(): void {
    const overdue = this.desk.takeWaitingSince(this.options.clock.nowMs() - this.rules.dispatchWindowMs);
    for (const delivery of overdue) void this.close(delivery);
  }

  private async close(delivery: Delivery): Promise<void> {
    const concluded = await this.concluding.heldBack(delivery);
    this.desk.finish(delivery);
    if (concluded === 'FENCED') this.options.onFenced(delivery);
  }
}
