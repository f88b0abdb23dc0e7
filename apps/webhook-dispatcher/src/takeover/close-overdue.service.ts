import type { Clock } from '../clock';
import type { AttemptRules, Delivery } from '../deliveries';
import type { DeliveryDesk } from '../queueing';
import type { ConcludeDelivery, OnFenced } from '../verdicts';

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
