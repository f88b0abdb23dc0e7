import type { DeliverySummary, DeliveryTimeline, ShardOwners } from '@paycode/dto';
import type { DeliveryFilter, DeliveryLogStore } from './delivery-log.store';

/** Flow: transaction id -> the timeline of its delivery; filter -> deliveries; and who owns their shards. */
export class ShowDelivery {
  constructor(private readonly log: DeliveryLogStore) {}

  show(transactionId: number): Promise<DeliveryTimeline | undefined> {
    return this.log.timeline(transactionId);
  }

  list(filter: DeliveryFilter): Promise<DeliverySummary[]> {
    return this.log.list(filter);
  }

  shards(): Promise<ShardOwners> {
    return this.log.shards();
  }
}
