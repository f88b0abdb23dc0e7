import type {
  ArmItem,
  CloseAnswer,
  CloseItem,
  Decision,
  DeliverySummary,
  DeliveryTimeline,
  Route,
  SettleItem,
  VerdictKind,
} from '@paycode/dto';
import type { AttemptOutcome, Delivery, NewDelivery, Verdict } from './domain/delivery';

/** Durable deliveries and claims of attempts. */
export abstract class DeliveryStore {
  /**
   * Inserts the deliveries that are not known yet, in one commit. With `epoch` above 0 the insert also claims attempt 1, if the lane still
   * is this replica's at that epoch. Answers only what was inserted.
   */
  abstract insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]>;
  /** What is stored for deliveries that were not inserted because they are known. */
  abstract known(deliveries: readonly NewDelivery[]): Promise<KnownDelivery[]>;
  /**
   * Claims attempts that no insert claimed; answers the ids that may be sent: lane held at that epoch, not claimed under another one, no
   * verdict. Repeating a claim whose answer was lost succeeds again.
   */
  abstract claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]>;
  /** Open deliveries claimed under an epoch before the given one: their owner is gone (row 8). By lane and seq. */
  abstract orphaned(cursors: readonly LaneCursor[], limitPerLane: number): Promise<StoredDelivery[]>;
  /** Moves the marks of lanes held: remembers what is resolved, answers rows that nobody claimed since the last sweep. */
  abstract sweep(replica: string, cursors: readonly LaneCursor[], page: SweepPage): Promise<SweptLane[]>;
  /** Unclaimed open deliveries of merchants in these lanes, by merchant and seq. */
  abstract waiting(lanes: readonly number[], cursors: readonly MerchantCursor[]): Promise<StoredDelivery[]>;
  /** Answers of `close`: never an owner's delivery is closed, and none can arrive after it was closed (1.1). */
  abstract close(items: readonly LanedCloseItem[]): Promise<CloseAnswer[]>;
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

/** Position in a lane held under `epoch`. */
export interface LaneCursor {
  lane: number;
  epoch: number;
  /** Rows after this one are wanted. */
  afterSeq: number;
}

export interface StoredDelivery {
  transactionId: number;
  merchantId: number;
  lane: number;
  seq: number;
  isReversible: boolean;
  payload: string;
  attemptsClaimed: number;
  /** Since it was received, on the store's clock. */
  ageMs: number;
}

export interface SweepPage {
  limitPerLane: number;
  /** Merchants whose rows are read by `waiting` instead. */
  exceptMerchants: readonly number[];
}

export interface MerchantCursor {
  merchantId: number;
  afterSeq: number;
  limit: number;
}

export interface SweptLane {
  lane: number;
  /** Every row up to here was looked at; none with a lower seq can appear later. */
  horizonSeq: number;
  unclaimed: StoredDelivery[];
}

export interface LanedCloseItem extends CloseItem {
  lane: number;
}

/** The write-once register. */
export abstract class VerdictStore {
  /**
   * Acknowledgements, from anyone and under any epoch, each with its AckReceived in the same commit. Answers the verdict that stands for
   * each id, in order.
   */
  abstract acknowledge(verdicts: readonly Verdict[]): Promise<VerdictKind[]>;
  /** Everything else: only from the owner of the lane. Answers what stands, in order; null when it was refused because the lane moved on. */
  abstract conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]>;
}

export interface OwnedVerdict extends Verdict {
  lane: number;
  epoch: number;
  /** A notice that failed is tried again after this many milliseconds; null: never. */
  retryAfterMs: number | null;
}

/** Notices that move no money and are tried again. */
export abstract class NoticeStore {
  /** Takes up to `limit` due notices of the lanes for `leaseMs`; a crash meanwhile makes them due again after it. */
  abstract takeDue(lanes: readonly number[], limit: number, leaseMs: number): Promise<DueNotice[]>;
  /** Records attempts; a notice with a pause is due again after it, one without is over. */
  abstract finish(attempts: readonly NoticeAttempt[]): Promise<void>;
  /** Makes a notice due now, once more. */
  abstract redeliver(transactionId: number, lane: number): Promise<'SCHEDULED' | 'UNKNOWN' | 'MOVES_MONEY' | 'UNDER_WAY'>;
}

export interface DueNotice extends StoredDelivery {
  /** Attempt that is due. */
  attempt: number;
}

export interface NoticeAttempt {
  transactionId: number;
  attempt: number;
  epoch: number;
  outcome: string | null;
  elapsedMs: number | null;
  startedAt: Date | null;
  retryAfterMs: number | null;
}

/** What is recorded about deliveries, for people. */
export abstract class DeliveryLog {
  abstract timeline(transactionId: number): Promise<DeliveryTimeline | undefined>;
  /** The newest first; `isOpen`: only those without a verdict. Looks at a bounded number of rows. */
  abstract list(filter: DeliveryFilter): Promise<DeliverySummary[]>;
}

export interface DeliveryFilter {
  isOpen: boolean;
  merchantId: number | null;
  limit: number;
}

/** The reversal-scheduler. Calls reject when their effect is unknown; all are idempotent. */
export abstract class ReversalScheduler {
  /** Resolves after the jobs are durable (I5); a decision says: do not POST. One that is not in the answer is not armed. */
  abstract arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>>;
  abstract settle(items: readonly SettleItem[]): Promise<void>;
}

/** The notification-config's routes. */
export abstract class RouteSource {
  abstract routes(merchantIds: readonly number[]): Promise<Route[]>;
}

/** Opens stored payloads and makes webhook bodies. Synchronous: keys are in memory. */
export abstract class WebhookSealer {
  /** The request body and the value of `X-Webhook-Encryption`. @throws when payload or key cannot be opened */
  abstract bodyOf(payload: string, route: Route): { body: string; encryption: string };
}

/** What happened on the wire to one request, in order; exactly one of `answered` and `failed` ends it. */
export interface PostObserver {
  /** The last byte of the request was handed to the socket (T1, A-05). */
  sent(): void;
  /** The final status line and headers are parsed; interim 1xx never come here. */
  answered(status: number): void;
  failed(fault: PostFault): void;
}

export interface PostFault {
  code: string;
  /** EMFILE, EADDRNOTAVAIL, EAI_AGAIN, … (T8). */
  isOurs: boolean;
  /** The pooled socket had served before and not one byte of the answer arrived (T7). */
  isStaleSocket: boolean;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Use no pooled socket (T7). */
  onFreshSocket: boolean;
}

/** To be called once the request has started, or will not. */
export type LeaveGate = () => void;

/** Bounds how fast connections to receivers are opened. */
export abstract class ConnectionGate {
  /** Resolves when a request to this endpoint may go on. */
  abstract enter(origin: string): Promise<LeaveGate>;
}

/** Sends one POST. Knows sockets, not rules. */
export abstract class WebhookPoster {
  /** `done` fires when the socket is free or gone: at or after the end of the request. */
  abstract post(request: WebhookRequest, observer: PostObserver & { done(): void }): { abort(): void };
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
  /** A delivery is held back for a reason of ours (T8). */
  abstract heldBack(error: unknown): void;
  /** Something was put aside because its own data fails (T-29); somebody must look. */
  abstract setAside(step: ParkedStep, transactionId: number, error: unknown): void;
}

/** Where something was put aside. `send`: route, claim or arm of a delivery. */
export type ParkedStep = 'send' | 'verdict' | 'settle' | 'close';
