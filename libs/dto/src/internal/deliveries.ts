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

/** GET webhook-dispatcher /internal/shards: who works on the deliveries of each shard, as its tables say at one instant. */
export interface ShardOwners {
  /** How many there are. */
  count: number;
  /** Shards of nobody, or of a replica that is not registered: their deliveries wait until somebody takes them. */
  withoutOwner: number[];
  replicas: ShardOwner[];
}

export interface ShardOwner {
  replica: string;
  /** INSTANCE_ID; null: unknown. */
  instance: string | null;
  /** Grows while the replica lives. One that stands still longer than the lease is of a dead one (P-T6). */
  heartbeat: number;
  /** How many it owns. */
  shards: number;
}

/** Answer of POST webhook-dispatcher /internal/deliveries/{transactionId}/redeliver (notices that move no money only). */
export interface RedeliveryAnswer {
  transactionId: number;
  outcome: 'SCHEDULED';
}
