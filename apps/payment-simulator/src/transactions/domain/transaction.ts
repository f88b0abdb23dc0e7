import type { NotificationStatus, TransactionKind } from '@paycode/dto';

/** A completed transaction, ready to be stored and announced. */
export interface CompletedTransaction {
  transactionId: number;
  merchantId: number;
  kind: TransactionKind;
  txState: string;
  status: NotificationStatus;
  reference: string;
  /** Exact decimal as digits. */
  amount: string;
  currencyCode: string;
  code: string | null;
  /** Original transaction of a refund or reversal, else 0. */
  referenceTransactionId: number;
  /** ISO 8601 UTC. */
  completedAt: string;
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  notification: string;
  /** The caller's name of this completion: its merchant has one transaction under it. */
  idempotencyKey: string | null;
}

/** A transaction as it stands now, with what was done to it. */
export interface StoredTransaction extends Omit<CompletedTransaction, 'status'> {
  reversal: { transactionId: number; txState: string } | null;
  refunds: { transactionId: number; txState: string; amount: string }[];
}
