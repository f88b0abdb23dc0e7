import type { DeliveryTimeline } from '@paycode/dto';
import type { DeliveryLog } from './deliveries.ports';

/** Flow: transaction id -> everything recorded about its delivery. */
export class ShowDelivery {
  constructor(private readonly log: DeliveryLog) {}

  show(transactionId: number): Promise<DeliveryTimeline | undefined> {
    return this.log.timeline(transactionId);
  }
}
