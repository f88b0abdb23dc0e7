import type { Clock } from '../clock';
import type { ConcludeDelivery } from './conclude-delivery.service';
import type { DeliveryDesk } from './delivery-desk.service';
import type { AttemptRules } from './domain/attempt-plan';

/** Flow: what has waited for a slot longer than B -> closed without an attempt (A-12, row 10). Driven by turns. */
export class CloseOverdue {
  constructor(
    private readonly desk: DeliveryDesk,
    private readonly concluding: ConcludeDelivery,
    private readonly rules: Pick<AttemptRules, 'dispatchWindowMs'>,
    private readonly clock: Clock,
  ) {}

  async turn(): Promise<void> {
    const overdue = this.desk.takeWaitingSince(this.clock.nowMs() - this.rules.dispatchWindowMs);
    await Promise.all(overdue.map(delivery => this.concluding.heldBack(delivery)));
  }
}
