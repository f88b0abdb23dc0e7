import type { Clock } from '../clock';
import type { OwnLanes } from '../lanes';
import type { DeliveryDesk } from '../queueing';
import type { NoticeStore } from './informational.ports';

const noticesPerTurn = 200;
/** Longer than an attempt can take; a notice whose replica died is due again after it. */
const leaseMs = 120_000;

/** Flow: notices whose pause is over -> queue of their endpoint -> one more POST. Driven by turns. */
export class RepeatNotices {
  constructor(
    private readonly store: NoticeStore,
    private readonly desk: DeliveryDesk,
    private readonly lanes: Pick<OwnLanes, 'lanes' | 'epochOf'>,
    private readonly clock: Clock,
  ) {}

  async turn(): Promise<void> {
    const held = this.lanes.lanes.map(({ lane }) => lane).filter(lane => this.lanes.epochOf(lane) !== undefined);
    if (held.length === 0 || !this.desk.hasRoom) return;
    const due = await this.store.takeDue(held, noticesPerTurn, leaseMs);
    const receivedMs = this.clock.nowMs();
    this.desk.accept(
      due.flatMap(({ transactionId, merchantId, lane, payload, attempt }) => {
        const epoch = this.lanes.epochOf(lane);
        if (epoch === undefined) return [];
        const state = { isReversible: false, isClaimed: true, isRepeat: true, armedAt: null };
        return [{ transactionId, merchantId, lane, epoch, payload, attempt, receivedMs, ...state }];
      }),
    );
  }
}
