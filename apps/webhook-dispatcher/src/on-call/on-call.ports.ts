import type { DeliverySummary, DeliveryTimeline } from '@paycode/dto';

/** Records of deliveries, for operators. */
export abstract class DeliveryLog {
  abstract timeline(transactionId: number): Promise<DeliveryTimeline | undefined>;
  /** The newest first; `isOpen`: only those without a verdict. Reads a bounded number of rows. */
  abstract list(filter: DeliveryFilter): Promise<DeliverySummary[]>;
}

export interface DeliveryFilter {
  isOpen: boolean;
  merchantId: number | null;
  limit: number;
}
