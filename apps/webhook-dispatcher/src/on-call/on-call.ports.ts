import type { DeliverySummary, DeliveryTimeline, ShardOwners } from '@paycode/dto';

/** Records of deliveries, for operators. */
export abstract class DeliveryLog {
  abstract timeline(transactionId: number): Promise<DeliveryTimeline | undefined>;
  /** Reads a bounded number of rows. */
  abstract list(filter: DeliveryFilter): Promise<DeliverySummary[]>;
  abstract shards(): Promise<ShardOwners>;
}

export interface DeliveryFilter {
  /** Without a verdict, the newest or the oldest first; or all, the newest first. */
  state: 'open' | 'oldest' | 'recent';
  merchantId: number | null;
  limit: number;
}
