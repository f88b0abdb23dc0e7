import { type Decision, decisionOf, type ReversalReason, reversalReasonOf, type VerdictKind } from '@paycode/dto';

/** The decision to record for a verdict of the dispatcher. */
export interface DecisionToRecord {
  transactionId: number;
  merchantId: number;
  verdict: VerdictKind;
  decision: Decision;
  /** Why the payment is reversed; null when it is settled. */
  reason: ReversalReason | null;
}

/** SETTLED for an acknowledged or not applicable delivery, REVERSED for a closed one, and nothing else (P-I6). */
export function decisionFor(item: { transactionId: number; merchantId: number; verdict: VerdictKind }): DecisionToRecord {
  const { transactionId, merchantId, verdict } = item;
  const reason = isClosed(verdict) ? reversalReasonOf(verdict) : null;
  return { transactionId, merchantId, verdict, decision: decisionOf(verdict), reason };
}

function isClosed(verdict: VerdictKind): verdict is Extract<VerdictKind, `CLOSED_${string}`> {
  return decisionOf(verdict) === 'REVERSED';
}
