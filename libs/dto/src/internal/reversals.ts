import type { ReversalReason } from '../events/reversal-requested.event';

/** POST reversal-scheduler /internal/reversals/arm. At most 1,000 items. Answered after the commit (P-I5). */
export interface ArmItem {
  transactionId: number;
  merchantId: number;
  /** 1-based delivery attempt. */
  attempt: number;
  /** Hash of the `ackToken` that an AckReceived of this payment must carry (T-18). Absent: an AckReceived needs none. */
  ackTokenHash?: string;
  /** W3C traceparent, when the payment is traced; never needed to do what is asked. */
  traceparent?: string;
}

export type Decision = 'SETTLED' | 'REVERSED';

export interface ArmAnswer {
  transactionId: number;
  /** Already decided: do not POST. */
  decision: Decision | null;
}

/** Kinds of the write-once verdict of a delivery (settlement protocol 1.1). */
export const verdictKinds = [
  'ACKED_HTTP',
  'ACKED_PULL',
  'NOT_APPLICABLE',
  'CLOSED_NON200',
  'CLOSED_CONN',
  'CLOSED_TIMEOUT',
  'CLOSED_NEVER_SENT',
  'CLOSED_EXHAUSTED',
  'CLOSED_BACKSTOP',
] as const;

export type VerdictKind = (typeof verdictKinds)[number];

/** Decision that a verdict leads to (P-I6). */
export function decisionOf(verdict: VerdictKind): Decision {
  return verdict.startsWith('CLOSED_') ? 'REVERSED' : 'SETTLED';
}

const reasons: Record<Extract<VerdictKind, `CLOSED_${string}`>, ReversalReason> = {
  CLOSED_NON200: 'NON_200',
  CLOSED_CONN: 'CONNECTION',
  CLOSED_TIMEOUT: 'TIMEOUT',
  CLOSED_NEVER_SENT: 'NEVER_SENT',
  // Crashes of the dispatcher used up the attempts, and no answer in time is known.
  CLOSED_EXHAUSTED: 'TIMEOUT',
  CLOSED_BACKSTOP: 'BACKSTOP',
};

/** Reason carried by ReversalRequested for a negative verdict. */
export function reversalReasonOf(verdict: Extract<VerdictKind, `CLOSED_${string}`>): ReversalReason {
  return reasons[verdict];
}

const verdictsOfReasons: Record<ReversalReason, VerdictKind> = {
  NON_200: 'CLOSED_NON200',
  CONNECTION: 'CLOSED_CONN',
  TIMEOUT: 'CLOSED_TIMEOUT',
  NEVER_SENT: 'CLOSED_NEVER_SENT',
  BACKSTOP: 'CLOSED_BACKSTOP',
};

/** A negative verdict that leads to this reason. */
export function verdictOfReason(reason: ReversalReason): VerdictKind {
  return verdictsOfReasons[reason];
}

/** POST reversal-scheduler /internal/reversals/settle. At most 1,000 items; idempotent. Answer: 204. */
export interface SettleItem {
  transactionId: number;
  merchantId: number;
  verdict: VerdictKind;
  /** W3C traceparent, when the payment is traced; never needed to do what is asked. */
  traceparent?: string;
}

/** POST webhook-dispatcher /internal/deliveries/close. At most 1,000 items. */
export interface CloseItem {
  transactionId: number;
  merchantId: number;
}

export interface CloseAnswer {
  transactionId: number;
  /** OPEN: an owner still holds the delivery; ask again in 5 s. */
  verdict: VerdictKind | 'OPEN';
}

/** GET reversal-scheduler /internal/reversals/{transactionId}. */
export interface ReversalState {
  transactionId: number;
  state: 'ARMED' | Decision;
  armedAt: string | null;
  dueAt: string | null;
  decidedAt: string | null;
  reason: ReversalReason | null;
}
