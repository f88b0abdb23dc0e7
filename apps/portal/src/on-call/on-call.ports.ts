import type { DeliverySummary, DeliveryTimeline, RedeliveryAnswer, ReversalState } from '@paycode/dto';

/** What the services that act on payments tell people on call. */
export abstract class OnCallCalls {
  /** Deliveries without a verdict, the oldest first. */
  abstract oldestOpen(limit: number): Promise<DeliverySummary[]>;
  abstract delivery(transactionId: number): Promise<DeliveryTimeline | null>;
  abstract reversal(transactionId: number): Promise<ReversalState | null>;
  /** @throws DomainError 404 for an unknown transaction, 409 for a payment or a delivery that is under way */
  abstract redeliver(transactionId: number): Promise<RedeliveryAnswer>;
}

/** A receiver that does not acknowledge, and what that costs its merchant, in one currency. Amounts are exact decimals. */
export interface FailingReceiver {
  merchantId: number;
  currencyCode: string;
  failed: number;
  acknowledged: number;
  reversedAmount: string;
  pendingAmount: string;
  lastFailedAt: string;
}

/** What the portal knows of a transaction from its events: nothing of the payer. */
export interface KnownTransaction {
  merchantId: number;
  kind: string | null;
  status: string | null;
  outcome: string;
  amount: string | null;
  currencyCode: string | null;
  completedAt: string | null;
  reversedBy: number | null;
}

/** What somebody did to a transaction in the portal. */
export interface Doing {
  at: string;
  personName: string;
  action: string;
}

export abstract class OnCallReader {
  abstract failing(since: string, limit: number): Promise<FailingReceiver[]>;
  abstract transaction(transactionId: number): Promise<KnownTransaction | null>;
  /** The newest first, among the latest entries of the audit log. */
  abstract doings(transactionId: number): Promise<Doing[]>;
}
