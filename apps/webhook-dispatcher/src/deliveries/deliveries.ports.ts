import type { CloseAnswer, CloseItem, VerdictKind } from '@paycode/dto';
import type { AttemptOutcome, Delivery, NewDelivery } from './domain/delivery';

/** Durable deliveries and claims of attempts. */
export abstract class DeliveryStore {
  /**
   * Inserts the deliveries that are not stored yet, in one commit. With `epoch` above 0 the insert also claims attempt 1, if this replica
   * still owns the shard at that epoch. Returns only the inserted ones. Refuses events outside of the range of offsets that this cell takes (P-1.12).
   */
  abstract insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]>;
  /** Returns the stored rows of deliveries that were not inserted because they exist already. */
  abstract known(deliveries: readonly NewDelivery[]): Promise<KnownDelivery[]>;
  /**
   * Claims attempts that no insert claimed. Returns the ids that may be sent: the replica owns the shard at that epoch, no other epoch
   * has claimed the attempt, and there is no verdict. A claim whose answer was lost may be repeated and succeeds again; the version of the
   * last one stands.
   */
  abstract claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]>;
  /** Open deliveries claimed under an epoch before the given one: their owner is gone (P-1.2-8). By shard and seq. */
  abstract orphaned(cursors: readonly ShardCursor[], limitPerShard: number): Promise<StoredDelivery[]>;
  /** Moves the marks of owned shards past resolved rows, and returns the unclaimed rows stored since the last sweep. */
  abstract sweep(replica: string, cursors: readonly ShardCursor[], page: SweepPage): Promise<SweptShard[]>;
  /** Unclaimed open deliveries of merchants in these shards, by merchant and seq. */
  abstract waiting(shards: readonly number[], cursors: readonly MerchantCursor[]): Promise<StoredDelivery[]>;
  /**
   * Answers `close`. It never closes a delivery that an owner holds, and no delivery can arrive after its close (P-1.1). A payment that is not stored has no answer when
   * its range is another one than that of its `step`, or has ended (P-1.12).
   */
  abstract close(items: readonly ShardedCloseItem[]): Promise<CloseAnswer[]>;
  /** The clock by which the ages of deliveries are told, in epoch milliseconds. It may be set while the platform runs. */
  abstract nowMs(): Promise<number>;
}

export interface DeliveryToInsert extends NewDelivery {
  /** Epoch under which attempt 1 is claimed; 0: do not claim. */
  epoch: number;
  /** Payload version of that claim. */
  version: string;
}

export interface InsertedDelivery {
  transactionId: number;
  seq: number;
  /** Epoch of the claim; 0 when it is not claimed. */
  epoch: number;
}

export interface KnownDelivery {
  transactionId: number;
  /** False when a different content is stored under this id. */
  isSame: boolean;
  /** Epoch under which its insert claimed attempt 1; 0: none. */
  epoch: number;
  /** Payload version of that claim. */
  version: string;
  isOpen: boolean;
}

/** Position in a shard held under `epoch`. */
export interface ShardCursor {
  shard: number;
  epoch: number;
  /** The read begins after this row. */
  afterSeq: number;
}

export interface StoredDelivery {
  transactionId: number;
  merchantId: number;
  shard: number;
  seq: number;
  isReversible: boolean;
  payload: string;
  attemptsClaimed: number;
  /** Payload version of the first attempt; null: none is claimed. */
  version: string | null;
  /** Since it was received, on the store's clock. */
  ageMs: number;
}

export interface SweepPage {
  limitPerShard: number;
  /** Merchants whose rows are read by `waiting` instead. */
  exceptMerchants: readonly number[];
}

export interface MerchantCursor {
  merchantId: number;
  afterSeq: number;
  limit: number;
}

export interface SweptShard {
  shard: number;
  /** The sweep has read every row up to here; no row with a lower seq can appear later. */
  horizonSeq: number;
  unclaimed: StoredDelivery[];
}

/** One of another cell must not be closed here, before it comes there. */
export interface PlacedCloseItem extends CloseItem {
  /** Entry of the map by which this cell takes the partition. Absent: no other cell takes the payment. */
  step?: number;
}

export interface ShardedCloseItem extends PlacedCloseItem {
  shard: number;
}

/** The content of the one log line about a delivery. */
export interface DeliveryReport {
  delivery: Delivery;
  /** The verdict in the database; another replica may have written it. */
  verdict: VerdictKind;
  outcome: string | null;
  /** Between receipt and verdict, in milliseconds. */
  ageMs: number;
}

/** Counters of the capability; names in docs/reference. */
export abstract class DeliveryMetrics {
  abstract ingested(counts: { stored: number; duplicate: number }): void;
  /** Two events with one id and different content: the first counts, and an operator must look at it (T-19). */
  abstract conflictingContent(transactionId: number): void;
  /** An event that can never be stored was parked; `reason` carries no payload data. */
  abstract parked(reason: string): void;
  abstract attempted(outcome: AttemptOutcome): void;
  abstract concluded(report: DeliveryReport): void;
  /** A merchant acknowledged a payment, and its verdict is durable. The scheduler counts when it knows of it. */
  abstract acknowledged(): void;
  /** Verdicts that are not durable yet. */
  abstract verdictsWaiting(count: number): void;
  abstract verdictWriteFailed(error: unknown): void;
  /** A delivery is held back by a fault of the platform (P-T8). */
  abstract heldBack(error: unknown): void;
  /** An item was parked because its own data makes the step fail; an operator must look at it (T-29). */
  abstract workParked(step: ParkedStep, transactionId: number, error: unknown): void;
}

/** The step that an item was parked at. `send`: route, claim or arm of a delivery. */
export type ParkedStep = 'send' | 'verdict' | 'settle' | 'close';
