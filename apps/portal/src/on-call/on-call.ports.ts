import type {
  DeliverySummary,
  DeliveryTimeline,
  EndpointPause,
  MerchantEndpoint,
  PortalAccount,
  PortalNotifications,
  PortalPauseRequest,
  PortalResumeRequest,
  RedeliveryAnswer,
  ReversalState,
  ShardOwners,
} from '@paycode/dto';

/** What the services that act on payments tell people on call. */
export abstract class OnCallCalls {
  /** Deliveries without a verdict, the oldest first. */
  abstract oldestOpen(limit: number): Promise<DeliverySummary[]>;
  abstract shards(): Promise<ShardOwners>;
  abstract delivery(transactionId: number): Promise<DeliveryTimeline | null>;
  abstract reversal(transactionId: number): Promise<ReversalState | null>;
  /** @throws DomainError 404 for an unknown transaction, 409 for a payment or a delivery that is under way */
  abstract redeliver(transactionId: number): Promise<RedeliveryAnswer>;
  /** Where deliveries of these merchants go, at most 500 of them. */
  abstract endpoints(merchantIds: readonly number[]): Promise<MerchantEndpoint[]>;
  /** Those in effect, then the latest others. */
  abstract pauses(): Promise<EndpointPause[]>;
  /** @throws DomainError with what the dispatcher refuses, in its words */
  abstract pause(request: PortalPauseRequest): Promise<EndpointPause>;
  /** @throws DomainError with what the dispatcher refuses, in its words */
  abstract resume(request: PortalResumeRequest): Promise<EndpointPause>;
}

/** What the services that keep merchants' settings tell people on call; they write down who asked. */
export abstract class MerchantCalls {
  /** null: there is no such merchant. */
  abstract notifications(merchantId: number, actor: string): Promise<PortalNotifications | null>;
  /** Of the merchant's programs; null: there is none. */
  abstract account(merchantId: number, actor: string): Promise<PortalAccount | null>;
  /** Where its deliveries go. */
  abstract endpoint(merchantId: number): Promise<MerchantEndpoint>;
}

/** A merchant whose receiver does not acknowledge, and what that costs it, in one currency. Amounts are exact decimals. */
export interface FailingMerchant {
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

/** How a merchant's receiver answered to one payment. */
export interface LastAnswer {
  transactionId: number;
  completedAt: string;
  outcome: string;
  answer: string;
  /** null: there was no acknowledgement to measure. */
  elapsedMs: number | null;
}

export abstract class OnCallReader {
  abstract failing(since: string, limit: number): Promise<FailingMerchant[]>;
  /** The newest first, among the merchant's latest transactions. */
  abstract lastAnswers(merchantId: number): Promise<LastAnswer[]>;
  abstract transaction(transactionId: number): Promise<KnownTransaction | null>;
  /** The newest first, among the latest entries of the audit log. */
  abstract doings(transactionId: number): Promise<Doing[]>;
}
