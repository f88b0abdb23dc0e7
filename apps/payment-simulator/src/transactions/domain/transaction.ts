import type {
  BankResponse,
  CardInfo,
  ClientContact,
  NotificationStatus,
  TransactionKind,
  TransactionNotificationV3,
} from '@paycode/dto';
import { addDecimals, compareDecimals } from './decimal';

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

/**
 * Why the original cannot be refunded by this amount, or null. Full and partial refunds are possible (R-3.2-3), but never more than was paid.
 */
export function refundProblem(
  refund: Pick<CompletedTransaction, 'merchantId' | 'amount' | 'currencyCode'>,
  original: StoredTransaction | undefined,
): string | null {
  if (!isPurchaseOf(refund.merchantId, original)) return 'is not a purchase of this merchant';
  if (original.txState !== 'SUCCESS') return 'is not a successful purchase';
  if (original.currencyCode !== refund.currencyCode) return 'was paid in another currency';
  const total = addDecimals(refundedAmountOf(original), refund.amount);
  return compareDecimals(total, original.amount) > 0 ? 'would be refunded by more than was paid' : null;
}

export function refundedAmountOf(original: StoredTransaction): string {
  return original.refunds
    .filter(({ txState }) => txState === 'END_REFUNDED')
    .reduce((sum, { amount }) => addDecimals(sum, amount), '0');
}

/** Whether the payment can be reversed: only a success, once, in full, not after a refund. */
export function reversalStateOf(original: StoredTransaction): 'END_REVERSED' | 'END_REVERSAL_FAILED' {
  const isIntact = original.txState === 'SUCCESS' && compareDecimals(refundedAmountOf(original), '0') === 0;
  return isIntact ? 'END_REVERSED' : 'END_REVERSAL_FAILED';
}

/** Why the announced reversal of the original is not possible, or null: only a success, once, in full. */
export function reversalProblem(
  reversal: Pick<CompletedTransaction, 'merchantId' | 'amount' | 'currencyCode' | 'txState'>,
  original: StoredTransaction | undefined,
): string | null {
  if (!isPurchaseOf(reversal.merchantId, original)) return 'is not a purchase of this merchant';
  if (original.reversal) return 'was reversed before';
  if (reversal.txState === 'END_REVERSED' && reversalStateOf(original) !== 'END_REVERSED') return 'cannot be reversed any more';
  const isWhole = original.currencyCode === reversal.currencyCode && compareDecimals(original.amount, reversal.amount) === 0;
  return isWhole ? null : 'is reversed in full or not at all';
}

function isPurchaseOf(merchantId: number, original: StoredTransaction | undefined): original is StoredTransaction {
  return original?.kind === 'PURCHASE' && original.merchantId === merchantId;
}
