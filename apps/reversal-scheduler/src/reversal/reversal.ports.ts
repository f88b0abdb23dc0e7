import type { ArmItem, CloseAnswer, CloseItem, Decision, ReversalState, VerdictKind } from '@paycode/dto';
import type { DecisionToRecord } from './domain/decision';

/** Durable reversal jobs. */
export abstract class JobStore {
  /**
   * Upserts in one commit; the due time is `delayMs` from now on the store's clock and never moves back. Resolves after the commit to the
   * decisions that were there already when the jobs were stored, and to early acknowledgements with the token of their job.
   */
  abstract arm(jobs: readonly ArmItem[], delayMs: number): Promise<Armed>;
  /** Keeps acknowledgements of payments that are not armed yet, for `arm`. */
  abstract keepEarly(acknowledgements: readonly DecisionToRecord[]): Promise<void>;
  /**
   * Inserts jobs due `delayMs` from now for transactions that have neither job nor decision, and returns how many. Moves overdue jobs
   * without a decision to the same time.
   */
  abstract watch(items: readonly CloseItem[], delayMs: number): Promise<number>;
  /** Undecided jobs of each cursor's shard after its position that come due within `withinMs`, earliest first, `max` per shard. */
  abstract scan(cursors: readonly ShardCursor[], window: { withinMs: number; max: number }): Promise<ScannedJobs>;
  /** Those of `transactionIds` that have no decision yet, with the time left until they are due (negative: overdue). */
  abstract undecided(transactionIds: readonly number[]): Promise<Map<number, number>>;
  /** Stores where scans may start. The store keeps a safety distance behind the marks and never moves back. */
  abstract advance(marks: readonly LowWaterMark[]): Promise<void>;
  abstract stateOf(transactionId: number): Promise<ReversalState | undefined>;
}

/** Write-once decisions. */
export abstract class DecisionStore {
  /**
   * Records each decision unless one exists (P-I1), and an acknowledgement only with the token that its payment was armed with; REVERSED and its ReversalRequested become durable together (P-I2).
   * Resolves after the commit to the valid decision of each item, in order.
   */
  abstract decide(items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]>;
  /** Decisions that exist. */
  abstract find(transactionIds: readonly number[]): Promise<Map<number, Decision>>;
}

/** The dispatcher's `close`: the only source of a decision for a due timer. Rejects when it cannot be reached. */
export abstract class DeliveryCloser {
  abstract close(items: readonly CloseItem[]): Promise<CloseAnswer[]>;
}

/** Counters of the capability; see docs/reference for names. */
export abstract class ReversalMetrics {
  abstract armed(count: number): void;
  abstract decided(decision: Decision, count: number): void;
  /** Milliseconds between the due time of a job and its decision. */
  abstract decidedLate(lateMs: number): void;
  /**
   * AckReceived settled a payment, so long after its merchant's answer. A payment that its timer settled, because the event had not come,
   * is not among them: it was settled late.
   */
  abstract settled(afterMs: number): void;
  /** A verdict that contradicts the existing decision: must stay 0 (P-I6). */
  abstract contradicted(kind: 'ack_after_reversed' | 'closed_after_settled', transactionId: number): void;
  /** AckReceived events that settle nothing, because they do not prove that the dispatcher wrote them (T-18). */
  abstract unproven(why: NonNullable<DecisionOutcome['unproven']>, transactionId: number): void;
  abstract asked(outcome: 'decided' | 'open' | 'fault', count: number): void;
  abstract watched(count: number): void;
  /** An item was parked because its own data makes the step fail; an operator must look at it (T-29). */
  abstract workParked(step: 'arm' | 'decide' | 'close', transactionId: number, error: unknown): void;
}

export interface ScannedJobs {
  jobs: DueJob[];
  /** The store's clock when the scan began, in microseconds since 1970. */
  nowUs: number;
}

/** Position in the due order of one shard: an instant of the store's clock plus a tie breaker. */
export interface ShardCursor {
  shard: number;
  /** null: from the shard's low-water mark. */
  after: { dueAtUs: number; transactionId: number } | null;
}

/** Every job of the shard that is due before this instant is decided. */
export interface LowWaterMark {
  shard: number;
  dueAtUs: number;
}

export interface DueJob extends CloseItem {
  shard: number;
  /** Microseconds since 1970 on the store's clock. */
  dueAtUs: number;
  /** Time from the beginning of the scan until due on the store's clock, in milliseconds; negative when overdue. */
  dueInMs: number;
}

export interface Armed {
  decided: Map<number, Decision>;
  /** Verdicts of AckReceived events that came before the arming. */
  acknowledged: Map<number, VerdictKind>;
}

export interface DecisionOutcome {
  transactionId: number;
  /** null: there is none, and the acknowledgement did not make one. */
  decision: Decision | null;
  /** False when there was a decision before. */
  isNew: boolean;
  /** Why an acknowledgement decides nothing: the dispatcher has not armed the payment, or armed it with another token. */
  unproven?: 'NOT_ARMED' | 'OTHER_TOKEN';
}
