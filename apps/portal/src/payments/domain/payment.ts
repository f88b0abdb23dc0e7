import { type ReversalReason, reversalReasons, type TransactionKind } from '@paycode/dto';
import type { Columns } from '../../files/domain/csv';

/** Outcome for the money. `SETTLED`: acknowledged, or the core could not reverse it. `NO_MONEY`: a failed payment or a notice, without an ack. */
export const outcomes = ['PENDING', 'SETTLED', 'REVERSED', 'NO_MONEY'] as const;
export type Outcome = (typeof outcomes)[number];

/** Outcomes that a person looks for. `REFUNDED`: payments of which a part, or all, was given back by refunds; their outcome stays. */
export const wantedOutcomes = [...outcomes, 'REFUNDED'] as const;
export type WantedOutcome = (typeof wantedOutcomes)[number];

/** Answer of the merchant's server: it acknowledged by HTTP 200 or by reading the notification, or why the payment was reversed. */
export const answers = ['HTTP_200', 'READ', ...reversalReasons] as const;
export type Answer = (typeof answers)[number];

/** A line of the list. Instants are ISO 8601 UTC, amounts exact decimals. */
export interface Payment {
  transactionId: number;
  merchantId: number;
  kind: TransactionKind;
  status: string;
  outcome: Outcome;
  completedAt: string;
  amount: string;
  currencyCode: string;
  reference: string;
  /** null: the payment had none. */
  code: string | null;
  referenceTransactionId: number;
  acknowledgedAt: string | null;
  ackSource: 'WEBHOOK' | 'RECOVERY' | null;
  ackElapsedMs: number | null;
  reversalRequestedAt: string | null;
  reversalReason: ReversalReason | null;
  /** null: none is known. */
  answer: Answer | null;
  /** The transaction that gave the money back. */
  reversedBy: number | null;
  /** The transaction that said that the core could not give the money back. */
  reversalFailedBy: number | null;
  /** When the reversal was made; null: none was. */
  returnedAt: string | null;
  /** When the last refund was made; null: none was. */
  refundedAt: string | null;
  /** The sum of its refunds. */
  refundedAmount: string | null;
}

/** null: the name is not known now. */
export interface NamedPayment extends Payment {
  merchantName: string | null;
}

/** A payment in a file. */
export const paymentColumns: Columns<NamedPayment> = [
  ['transactionId', 'word', payment => payment.transactionId],
  ['merchantId', 'word', payment => payment.merchantId],
  ['kind', 'word', payment => payment.kind],
  ['completedAt', 'instant', payment => payment.completedAt],
  ['status', 'word', payment => payment.status],
  ['outcome', 'word', payment => payment.outcome],
  ['answer', 'word', payment => payment.answer],
  ['amount', 'money', payment => payment.amount],
  ['currencyCode', 'word', payment => payment.currencyCode],
  ['reference', 'text', payment => payment.reference],
  ['code', 'text', payment => payment.code],
  ['referenceTransactionId', 'word', payment => payment.referenceTransactionId || null],
  ['acknowledgedAt', 'instant', payment => payment.acknowledgedAt],
  ['answerMs', 'count', payment => payment.ackElapsedMs],
  ['reversalRequestedAt', 'instant', payment => payment.reversalRequestedAt],
  ['reversedBy', 'word', payment => payment.reversedBy],
  ['merchantName', 'text', payment => payment.merchantName],
];

export interface Wanted {
  outcome: WantedOutcome | null;
  status: string | null;
  answer: Answer | null;
  hasNotices: boolean;
}

/** Statuses that no payment has. */
const noticeStatuses: readonly (string | null)[] = ['REVERSED', 'REFUNDED'];

/** Whether no payment can be all of it, as an outcome follows from status and answer. Looking for it would read every payment of the one or the other. */
export function isContradiction({ outcome, status, answer, hasNotices }: Wanted): boolean {
  if (!hasNotices && noticeStatuses.includes(status)) return true;
  if (outcome === null || outcome === 'NO_MONEY') return false;
  if (status !== null && status !== 'SUCCESS') return true;
  return outcome === 'PENDING' && answer !== null;
}
