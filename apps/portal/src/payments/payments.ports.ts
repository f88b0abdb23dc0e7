import type {
  AckReceived,
  DeliveryTimeline,
  PortalNotificationOperation,
  PortalNotificationRequest,
  ReversalRequested,
  ReversalState,
  TransactionTerminal,
} from '@paycode/dto';
import type { Scope } from '../tenancy/scope';
import type { Answer, Outcome, PageKey, Payment } from './domain/payment';

/** A terminal transaction with what its sealed notification tells a merchant about money; nothing of the payer. */
export interface TerminalFacts extends Pick<
  TransactionTerminal,
  'transactionId' | 'merchantId' | 'kind' | 'status' | 'referenceTransactionId' | 'completedAt'
> {
  amount: string;
  currencyCode: string;
  reference: string;
  /** null: the payment had none. */
  code: string | null;
}

/** The read model as events write it: any order, any number of times. Durable when it resolves. */
export abstract class PaymentWriter {
  abstract terminals(facts: readonly TerminalFacts[]): Promise<void>;
  abstract acks(acks: readonly AckReceived[]): Promise<void>;
  abstract reversals(reversals: readonly ReversalRequested[]): Promise<void>;
}

export interface PaymentFilter {
  /** Transaction id, reference or code, as a whole. */
  search: string | null;
  outcome: Outcome | null;
  status: string | null;
  answer: Answer | null;
  /** Exactly this one, a decimal; null: any. */
  amount: string | null;
  /** ISO 8601 UTC; `to` is not part of it. */
  from: string | null;
  to: string | null;
  /** The page behind this payment, older ones; null: from the newest on. */
  after: PageKey | null;
  /** The page before this payment, newer ones. At most one of the two is set. */
  before: PageKey | null;
  limit: number;
}

export interface Sum {
  outcome: Outcome;
  currencyCode: string;
  count: number;
  amount: string;
}

export interface Bucket {
  at: string;
  settled: number;
  reversed: number;
  pending: number;
  /** Of answers that acknowledged, in milliseconds; null: none. */
  medianMs: number | null;
  slowestMs: number | null;
}

/** How payments ended, and what servers of merchants answered. */
export interface Answered {
  reversed: number;
  /** By HTTP 200. */
  acknowledged: number;
  /** Another status, no connection, or no answer in time. */
  failed: number;
}

/** The read model as people ask it: never without a scope. */
export abstract class PaymentReader {
  /** Newest first. */
  abstract list(scope: Scope, filter: PaymentFilter): Promise<Payment[]>;
  abstract find(scope: Scope, transactionId: number): Promise<Payment | undefined>;
  /** A text for each payment that is another once anything of it changed. Without a scope: it goes to nobody. */
  abstract versions(transactionIds: readonly number[]): Promise<Map<number, string>>;
  abstract sums(scope: Scope, since: string): Promise<Sum[]>;
  abstract answers(scope: Scope, since: string, bucketS: number): Promise<Bucket[]>;
  abstract answeredSince(scope: Scope, since: string): Promise<Answered>;
}

/** Stored notifications, by the service that keeps them. @throws DomainError with what it refuses, in its words */
export abstract class NotificationCalls {
  abstract ask<T>(operation: PortalNotificationOperation, request: PortalNotificationRequest): Promise<T>;
}

/** What dispatcher and scheduler know of one transaction; null: nothing. Rejects when they cannot be asked. */
export abstract class PaymentWitness {
  abstract delivery(transactionId: number): Promise<DeliveryTimeline | null>;
  abstract reversal(transactionId: number): Promise<ReversalState | null>;
  /** Until when deliveries of the merchant wait because somebody on call paused its endpoint; null: they do not. */
  abstract pausedUntil(merchantId: number): Promise<string | null>;
}
