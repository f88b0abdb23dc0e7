import type {
  BankResponse,
  CardInfo,
  ClientContact,
  NotificationStatus,
  TransactionKind,
  TransactionNotificationV3,
} from '@paycode/dto';

/** A transaction in its final state, as the payment core has it. Amounts are exact decimals as digits. */
export interface Completion {
  merchantId: number;
  /** A repeat under the key of an earlier completion of the merchant is that transaction. */
  idempotencyKey: string | null;
  kind: TransactionKind;
  /** Terminal TxState. */
  txState: string;
  /** Whole amount, tip included. */
  amount: string;
  currencyCode: string;
  reference: string;
  /** Original transaction of a refund or reversal, else 0. */
  referenceTransactionId: number;
  clientMsisdn: string;
  code?: string;
  destination?: string;
  tipAmount: string | null;
  extraReferenceName: string | null;
  extraReferenceValue: string | null;
  bankResponse?: Partial<BankResponse>;
  cardInfo?: Partial<CardInfo>;
  clientContact?: ClientContact;
  clientBilling: Record<string, unknown> | null;
  clientShipping: Record<string, unknown> | null;
  /** How much later than it is stored a payment is announced: a slow core, rehearsed. Default 0. */
  announcedAfterS?: number;
}

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

/** A transaction with its notification opened. */
export interface NotifiedTransaction {
  transaction: StoredTransaction;
  notification: TransactionNotificationV3;
}
