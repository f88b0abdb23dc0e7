import type { CloseAnswer, CloseItem, VerdictKind } from '@paycode/dto';
import type { AttemptOutcome, Delivery, NewDelivery } from './domain/delivery';

/** Durable deliveries and claims of attempts. */
export abstract class DeliveryStore {
  /**
   * Inserts the deliveries that are not known yet, in one commit. With `epoch` above 0 the insert also claims attempt 1, if the shard still
   * is this replica's at that epoch. Answers only what was inserted.
   */
  abstract insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]>;
  /** What is stored for deliveries that were not inserted because they are known. */
  abstract known(deliveries: readonly NewDelivery[]): Promise<KnownDelivery[]>;
  /**
   * Claims attempts that no insert claimed; answers the ids that may be sent: shard held at that epoch, not claimed under another one, no
   * verdict. Repeating a claim whose answer was lost succeeds again.
   */
  abstract claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]>;
  /** Open deliveries claimed under an epoch before the given one: their owner is gone (P-1.2-8). By shard and seq. */
  abstract orphaned(cursors: readonly ShardCursor[], limitPerShard: number): Promise<StoredDelivery[]>;
  /** Moves the marks of shards held: remembers what is resolved, answers rows that nobody claimed since the last sweep. */
  abstract sweep(replica: string, cursors: readonly ShardCursor[], page: SweepPage): Promise<SweptShard[]>;
  /** Unclaimed open deliveries of merchants in these shards, by merchant and seq. */
  abstract waiting(shards: readonly number[], cursors: readonly MerchantCursor[]): Promise<StoredDelivery[]>;
  /** Answers of `close`: never an owner's delivery is closed, and none can arrive after it was closed (P-1.1). */
  abstract close(items: readonly ShardedCloseItem[]): Promise<CloseAnswer[]>;
}

export interface DeliveryToInsert extends NewDelivery {
  /** Epoch under which attempt 1 is claimed; 0: do not claim. */
  epoch: number;
}

export interface InsertedDelivery {
  transactionId: number;
  seq: number;
  /** Epoch of the claim; 0 when it is not claimed. */
  epoch: number;
}

export interface KnownDelivery {
  transactionId: number;
  /** False: another content stands under this id. */
  isSame: boolean;
  /** Epoch under which its insert claimed attempt 1; 0: none. */
  epoch: number;
  isOpen: boolean;
}

/** Position in a shard held under `epoch`. */
export interface ShardCursor {
  shard: number;
  epoch: number;
  /** Rows after this one are wanted. */
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
  /** Every row up to here was looked at; none with a lower seq can appear later. */
  horizonSeq: number;
  unclaimed: StoredDelivery[];
}

export interface ShardedCloseItem extends CloseItem {
  shard: number;
}

/** The one wide line about a delivery. */
export interface DeliveryReport {
  delivery: Delivery;
  /** The verdict that stands, which may be another one's. */
  verdict: VerdictKind;
  outcome: string | null;
  /** Between receipt and verdict, in milliseconds. */
  ageMs: number;
}

/** Counters of the capability; names in docs/reference. */
export abstract class DeliveryMetrics {
  abstract ingested(counts: { stored: number; duplicate: number }): void;
  /** Two contents under one id: the first stands, somebody must look (T-19). */
  abstract conflictingContent(transactionId: number): void;
  /** An event that can never be stored was parked; `reason` carries no payload data. */
  abstract parked(reason: string): void;
  abstract attempted(outcome: AttemptOutcome): void;
  abstract concluded(report: DeliveryReport): void;
  /** Verdicts that are not durable yet. */
  abstract verdictsWaiting(count: number): void;
  abstract verdictWriteFailed(error: unknown): void;
  /** A delivery is held back for a reason of ours (P-T8). */
  abstract heldBack(error: unknown): void;
  /** Something was put aside because its own data fails (T-29); somebody must look. */
  abstract setAside(step: ParkedStep, transactionId: number, error: unknown): void;
}

/** Where something was put aside. `send`: route, claim or arm of a delivery. */
export type ParkedStep = 'send' | 'verdict' | 'settle' | 'close';
