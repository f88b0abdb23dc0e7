import type { VerdictKind } from './reversals';

/** GET webhook-dispatcher /internal/deliveries/{transactionId}. Instants are ISO 8601 UTC. */
export interface DeliveryTimeline {
  transactionId: number;
  merchantId: number;
  kind: 'PURCHASE' | 'REFUND' | 'REVERSAL';
  reversible: boolean;
  receivedAt: string;
  armedAt: string | null;
  attempts: DeliveryAttempt[];
  verdict: { kind: VerdictKind; at: string; elapsedMs: number | null; attempt: number | null } | null;
}

export interface DeliveryAttempt {
  /** The number of `X-Webhook-Attempt`. Two entries have one number when the request was sent again on a fresh connection. */
  attempt: number;
  startedAt: string;
  /** `HTTP 200`, `HTTP 503`, `TIMEOUT`, `CONNECTION: ECONNREFUSED`, …; null while in flight. */
  outcome: string | null;
  elapsedMs: number | null;
}

/** One line of GET webhook-dispatcher /internal/deliveries. */
export interface DeliverySummary {
  transactionId: number;
  merchantId: number;
  kind: 'PURCHASE' | 'REFUND' | 'REVERSAL';
  status: string;
  receivedAt: string;
  /** null: open. */
  verdict: VerdictKind | null;
  outcome: string | null;
}

/** Answer of POST webhook-dispatcher /internal/deliveries/{transactionId}/redeliver (notices that move no money only). */
export interface RedeliveryAnswer {
  transactionId: number;
  outcome: 'SCHEDULED';
}
