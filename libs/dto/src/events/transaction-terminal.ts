import type { NotificationStatus } from '../notification/notification-status';

export type TransactionKind = 'PURCHASE' | 'REFUND' | 'REVERSAL';

/** A transaction reached a final state. Key and dedup key: transactionId. */
export interface TransactionTerminal {
  /** Integer in [1, 2^53). */
  transactionId: number;
  merchantId: number;
  kind: TransactionKind;
  status: NotificationStatus;
  /** Internal, finer state (spec 3.3); never shown to merchants in a notification (R-3.3-2). */
  txState: string;
  /** The original transaction of a refund or reversal, else 0. */
  referenceTransactionId: number;
  /** ISO 8601 UTC. */
  completedAt: string;
  /** TransactionNotificationV3 JSON sealed as compact JWE under the platform data key (T-16). */
  notification: string;
}
