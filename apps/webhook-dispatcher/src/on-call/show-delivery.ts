import type { DeliverySummary, DeliveryTimeline } from '@paycode/dto';
import type { DeliveryFilter, DeliveryLog } from './on-call.ports';

/** Flow: transaction id -> the timeline of its delivery; filter -> deliveries. */
export class ShowDelivery {
  constructor(private readonly log: DeliveryLog) {}

  show(transactionId: number): Promise<DeliveryTimeline | undefined> {
    return this.log.timeline(transactionId);
  }

  list(filter: DeliveryFilter): Promise<DeliverySummary[]> {
    return this.log.list(filter);
  }
}
