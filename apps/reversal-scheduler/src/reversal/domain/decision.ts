import {
  type Decision,
  decisionOf,
  type ReversalReason,
  reversalReasonOf,
  type SettleItem,
  type VerdictKind,
} from '@paycode/dto';

/** A verdict that AckReceived says, and that a payment must have been armed for. */
export interface Acknowledgement {
  /** Hash of the token that the event carries; null: it carries none. */
  tokenHash: string | null;
}

/** The decision to record for a verdict of the dispatcher. */
export interface DecisionToRecord {
  transactionId: number;
  merchantId: number;
  verdict: VerdictKind;
  decision: Decision;
  /** Why the payment is reversed; null when it is settled. */
  reason: ReversalReason | null;
  /** To be recorded only if the payment was armed with this token (T-18). Absent: the verdict came from the dispatcher itself. */
  acknowledgement?: Acknowledgement | undefined;
}

export interface VerdictToDecide extends SettleItem {
  acknowledgement?: Acknowledgement | undefined;
}

/** SETTLED for an acknowledged or not applicable delivery, REVERSED for a closed one, and nothing else (P-I6). */
export function decisionFor(item: VerdictToDecide): DecisionToRecord {
  const { transactionId, merchantId, verdict, acknowledgement } = item;
  const reason = isClosed(verdict) ? reversalReasonOf(verdict) : null;
  const decision = { transactionId, merchantId, verdict, decision: decisionOf(verdict), reason };
  return acknowledgement ? { ...decision, acknowledgement } : decision;
}

function isClosed(verdict: VerdictKind): verdict is Extract<VerdictKind, `CLOSED_${string}`> {
  return decisionOf(verdict) === 'REVERSED';
}
