import {
  type Decision,
  type Route,
  storedVersion,
  type TransactionKind,
  type TransactionTerminal,
  type VerdictKind,
} from '@paycode/dto';

/** A terminal transaction as it came in, ready to be stored. */
export interface NewDelivery {
  readonly transactionId: number;
  readonly merchantId: number;
  readonly shard: number;
  readonly kind: TransactionKind;
  readonly status: string;
  /** Only a purchase with SUCCESS is ever armed or reversed (A-01, A-02, P-I13). */
  readonly isReversible: boolean;
  readonly referenceTransactionId: number;
  /** ISO 8601 UTC. */
  readonly completedAt: string;
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  readonly payload: string;
  /** Of its event in its partition, which decides about the cell that takes it (P-1.12). */
  readonly offset: number;
  /** Entry of the map of cells under which this cell takes it; 0: the cell stands alone, or is the first one. */
  readonly step: number;
}

/** An event with its place in its partition. */
export type PlacedTerminal = TransactionTerminal & Pick<NewDelivery, 'offset'>;

/**
 * A delivery that this replica works on, as it stands at one moment. It never changes: a stage that moves it on answers the next one (`claimed`,
 * `armed`, `nextAttempt`), and whoever keeps it in memory keeps it by its transactionId.
 */
export interface Delivery {
  readonly transactionId: number;
  readonly merchantId: number;
  readonly shard: number;
  /** Epoch of the shard under which this replica works on it. */
  readonly epoch: number;
  readonly isReversible: boolean;
  readonly payload: string;
  /** 1-based attempt that comes next or is under way. */
  readonly attempt: number;
  /** Whether `attempt` is durably claimed; if not, it must be before its POST (P-I8). */
  readonly isClaimed: boolean;
  /** Payload version, fixed by the claim of the first attempt (R-9-2); null: not claimed yet. */
  readonly version: string | null;
  /** Monotonic instant at which the delivery was received, as far as this process can tell (age for the backstop, A-12). */
  readonly receivedMs: number;
  /** True for a repeat of an informational delivery: its verdict exists already, only further attempts follow. */
  readonly isRepeat: boolean;
  /** Wall time at which the reversal was armed, in epoch milliseconds, for the timeline; null: not armed. */
  readonly armedAtMs: number | null;
  /** Monotonic instant at which the zone of its endpoint failed for the first time; null: it has not (P-T8). */
  readonly zoneFailedMs: number | null;
}

/** Fields that every source of a delivery knows. */
type DeliveryRow = Pick<Delivery, 'transactionId' | 'merchantId' | 'shard' | 'isReversible' | 'payload' | 'version'>;

/** From an event that this replica stored; `isClaimed`: its insert claimed the first attempt. */
export function deliveryFromEvent(
  event: NewDelivery,
  { version, epoch, isClaimed, receivedMs }: Pick<Delivery, 'version' | 'epoch' | 'isClaimed' | 'receivedMs'>,
): Delivery {
  return deliveryOf({ ...event, version }, { epoch, attempt: 1, isClaimed, receivedMs, isRepeat: false });
}

/** From a row that was found in the database: `attempt` is to be claimed. */
export function deliveryFromRow(
  row: DeliveryRow,
  { epoch, attempt, receivedMs }: Pick<Delivery, 'epoch' | 'attempt' | 'receivedMs'>,
): Delivery {
  return deliveryOf(row, { epoch, attempt, isClaimed: false, receivedMs, isRepeat: false });
}

/** From a repeat that is due. It was taken under a lease, which claims its attempt, and it moves no money whatever its row says. */
export function deliveryFromRepeat(
  { attempt, ...row }: Omit<DeliveryRow, 'isReversible'> & Pick<Delivery, 'attempt'>,
  { epoch, receivedMs }: Pick<Delivery, 'epoch' | 'receivedMs'>,
): Delivery {
  return deliveryOf({ ...row, isReversible: false }, { epoch, attempt, isClaimed: true, receivedMs, isRepeat: true });
}

/** Whether a payment's first attempt may have left already, or this process is about to send it. A repeat of a notice can always wait. */
export function isBegun({ isClaimed, attempt, isRepeat }: Pick<Delivery, 'isClaimed' | 'attempt' | 'isRepeat'>): boolean {
  return !isRepeat && (isClaimed || attempt > 1);
}

/**
 * The version in which the next request leaves: the merchant's present one as long as nothing can have been sent, after that the one of the first
 * attempt (R-9-2).
 */
export function versionOf({ attempt, version }: Pick<Delivery, 'attempt' | 'version'>, route: Pick<Route, 'version'>): string {
  return (attempt > 1 ? version : null) ?? route.version ?? storedVersion;
}

/** `attempt` is durably claimed, in its version. */
export function claimed(delivery: Delivery): Delivery {
  return { ...delivery, isClaimed: true };
}

/** The reversal is durably armed. */
export function armed(delivery: Delivery, armedAtMs: number): Delivery {
  return { ...delivery, armedAtMs };
}

/** The zone of its endpoint fails, now and perhaps before. */
export function zoneFailing(delivery: Delivery, nowMs: number): Delivery {
  return { ...delivery, zoneFailedMs: delivery.zoneFailedMs ?? nowMs };
}

/** The attempt may have reached the receiver and decided nothing: the next one needs its own claim. */
export function nextAttempt(delivery: Delivery): Delivery {
  return { ...delivery, attempt: delivery.attempt + 1, isClaimed: false };
}

/** All members in one order, so that every delivery of the process has the same shape and copies are cheap. */
function deliveryOf(row: DeliveryRow, work: Omit<Delivery, keyof DeliveryRow | 'armedAtMs' | 'zoneFailedMs'>): Delivery {
  const { transactionId, merchantId, shard, isReversible, payload, version } = row;
  const { epoch, attempt, isClaimed, receivedMs, isRepeat } = work;
  return {
    transactionId,
    merchantId,
    shard,
    epoch,
    isReversible,
    payload,
    attempt,
    isClaimed,
    version,
    receivedMs,
    isRepeat,
    armedAtMs: null,
    zoneFailedMs: null,
  };
}

/** The first request of an attempt that was sent again: it went out on a reused connection, which ended without an answer (P-T7). */
export interface Unanswered {
  readonly code: string;
  /** From the request to the end of its connection. */
  readonly elapsedMs: number;
}

/** How one attempt ended, as the process that made it saw it. */
export type AttemptOutcome = { readonly unanswered?: Unanswered } & AttemptEnd;

type AttemptEnd =
  | { readonly kind: 'STATUS'; readonly status: number; readonly elapsedMs: number }
  | { readonly kind: 'TIMEOUT'; readonly elapsedMs: number }
  /** The receiver's side failed: refused, reset, TLS, no such name, malformed answer. */
  | { readonly kind: 'CONNECTION'; readonly code: string; readonly elapsedMs: number | null }
  /** The platform failed (P-T8). `isSent`: the request may have reached the receiver. */
  | { readonly kind: 'OUR_FAULT'; readonly code: string; readonly isSent: boolean };

/** A verdict to be written, with what the timeline shows of it. */
export interface Verdict {
  readonly transactionId: number;
  readonly merchantId: number;
  readonly kind: VerdictKind;
  /** null: no attempt was made. */
  readonly attempt: number | null;
  readonly outcome: string | null;
  readonly elapsedMs: number | null;
  readonly armedAt: Date | null;
  readonly startedAt: Date | null;
  /** When the merchant acknowledged, as AckReceived says it. Absent: now, when it is written. */
  readonly acknowledgedAt?: Date | undefined;
  /** Absent: nothing was sent again. */
  readonly unanswered?: Unanswered | undefined;
}

/** Every answer of a stage to the question what happens to a delivery next. `delivery`: its state after the stage. */
export type NextStep =
  /** An open delivery was found in the database: make this attempt. */
  | { readonly next: 'ATTEMPT'; readonly attempt: number }
  /** An open delivery was found in the database: record this verdict, without another attempt. */
  | { readonly next: 'CLOSE'; readonly kind: 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP' }
  /** The attempt has a connection, and is claimed and armed: make the last check. */
  | { readonly next: 'CHECK'; readonly delivery: Delivery; readonly connection: Connection }
  /** The attempt is claimed and armed, and its receiver cannot be reached: conclude it without a request. */
  | { readonly next: 'UNREACHABLE'; readonly delivery: Delivery; readonly code: string }
  /** The lease of the route has run out: read the route again, and repeat the last check. */
  | { readonly next: 'RENEW' }
  /** Everything is valid now: start the POST in the same turn of the event loop. */
  | { readonly next: 'POST'; readonly route: Route }
  /** The request is under way: wait for its outcome, and conclude it. */
  | { readonly next: 'AWAIT'; readonly delivery: Delivery; readonly post: PostUnderWay }
  /** The merchant's webhook is at another endpoint than the one whose slot was granted: wait in the queue of that endpoint. */
  | { readonly next: 'REQUEUE'; readonly delivery: Delivery }
  /** The merchant has no webhook: the payment is settled without a POST. */
  | { readonly next: 'NO_WEBHOOK'; readonly delivery: Delivery }
  /** The scheduler has decided: record a verdict that agrees with it, without a POST. */
  | { readonly next: 'DECIDED'; readonly delivery: Delivery; readonly decision: Decision }
  /** The platform has a fault, and no request has started: hold the delivery back until B (A-12, P-T8). `error`: what was thrown, if anything was. */
  | { readonly next: 'HOLD_BACK'; readonly delivery: Delivery; readonly error?: unknown }
  /** There is no verdict yet: wait a little for the next try. */
  | { readonly next: 'RETRY_LATER'; readonly delivery: Delivery }
  /** It is acknowledged already, or its shard has another owner or epoch: its present owner, perhaps this replica again, looks for it. */
  | { readonly next: 'FENCED' }
  /** Nothing is left to do. */
  | { readonly next: 'OVER' };

/** The members that one stage answers, by name. */
export type Next<Step extends NextStep['next']> = Extract<NextStep, { next: Step }>;

/** An open connection to the endpoint of one delivery. It is for its request alone, until the request starts or the connection is given back. */
export interface Connection {
  /** No request will start on it: it serves another delivery. */
  giveBack(): void;
}

/** A request that has started. */
export interface PostUnderWay {
  readonly outcome: Promise<AttemptOutcome>;
  /** Resolves when the socket is free for another request or gone. */
  readonly freed: Promise<void>;
}
