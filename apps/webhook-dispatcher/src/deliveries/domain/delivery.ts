import type { TransactionKind, VerdictKind } from '@paycode/dto';

/** A terminal transaction as it came in, ready to be stored. */
export interface NewDelivery {
  transactionId: number;
  merchantId: number;
  shard: number;
  kind: TransactionKind;
  status: string;
  /** Only a purchase with SUCCESS is ever armed or reversed (A-01, A-02, P-I13). */
  isReversible: boolean;
  referenceTransactionId: number;
  /** ISO 8601 UTC. */
  completedAt: string;
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  payload: string;
}

/** A delivery that this replica works on. Only `attempt`, `isClaimed` and `armedAt` move on with its attempts. */
export interface Delivery {
  readonly transactionId: number;
  readonly merchantId: number;
  readonly shard: number;
  /** Epoch of the shard under which this replica works on it. */
  readonly epoch: number;
  readonly isReversible: boolean;
  readonly payload: string;
  /** 1-based attempt that comes next or is under way. */
  attempt: number;
  /** Whether `attempt` is durably claimed; if not, it must be before its POST (P-I8). */
  isClaimed: boolean;
  /** Monotonic instant at which the delivery was received, as far as this process can tell (age for the backstop, A-12). */
  readonly receivedMs: number;
  /** An informational delivery that was tried before and whose verdict stands; only its attempts go on. */
  readonly isRepeat: boolean;
  /** Wall time at which the reversal was armed, for the timeline; null: not armed. */
  armedAt: Date | null;
}

/** What every source knows of a delivery, and what this replica adds. Default: the first attempt, not claimed, no repeat. */
type DeliveryRow = Pick<Delivery, 'transactionId' | 'merchantId' | 'shard' | 'isReversible' | 'payload'>;
type DeliveryWork = Pick<Delivery, 'epoch' | 'receivedMs'> & Partial<Pick<Delivery, 'attempt' | 'isClaimed' | 'isRepeat'>>;

/** The delivery to work on, from an event that was stored, a row that was found, or a repeat that is due. Nothing is armed yet. */
export function deliveryFrom(row: DeliveryRow, work: DeliveryWork): Delivery {
  const { transactionId, merchantId, shard, isReversible, payload } = row;
  const { epoch, receivedMs, attempt = 1, isClaimed = false, isRepeat = false } = work;
  return {
    transactionId,
    merchantId,
    shard,
    epoch,
    isReversible,
    payload,
    attempt,
    isClaimed,
    receivedMs,
    isRepeat,
    armedAt: null,
  };
}

/** How one attempt ended, as the process that made it saw it. */
export type AttemptOutcome =
  | { kind: 'STATUS'; status: number; elapsedMs: number }
  | { kind: 'TIMEOUT'; elapsedMs: number }
  /** The receiver's side failed: refused, reset, TLS, no such name, malformed answer. */
  | { kind: 'CONNECTION'; code: string; elapsedMs: number | null }
  /** Our side failed (P-T8). `isSent`: the request may have reached the receiver. */
  | { kind: 'OUR_FAULT'; code: string; isSent: boolean };

/** A verdict to be written, with what the timeline shows of it. */
export interface Verdict {
  transactionId: number;
  merchantId: number;
  kind: VerdictKind;
  /** null: no attempt was made. */
  attempt: number | null;
  outcome: string | null;
  elapsedMs: number | null;
  armedAt: Date | null;
  startedAt: Date | null;
}
