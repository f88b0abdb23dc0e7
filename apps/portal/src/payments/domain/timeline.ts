import { reversalReasonOf, type VerdictKind } from '@paycode/dto';
import type { Evidence } from './explanation';
import type { Answer, Payment } from './payment';

export interface TimelineStep {
  at: string;
  kind:
    | 'PAID'
    | 'NOT_PAID'
    | 'RECEIVED'
    | 'ARMED'
    | 'SENT'
    | 'SENT_AGAIN'
    | 'ANSWERED'
    | 'ACKNOWLEDGED'
    | 'VERDICT'
    | 'DECIDED'
    | 'REVERSAL_REQUESTED'
    | 'REVERSED'
    | 'REVERSAL_FAILED'
    | 'REFUNDED'
    | 'REFUND_FAILED';
  /** Values of the sentence about this kind of step, which the pages make in the language of the reader. */
  values: StepValues;
}

interface StepValues {
  status?: string;
  amount?: string;
  currencyCode?: string;
  attempt?: number;
  /** As the dispatcher recorded it, such as `HTTP 503`. */
  answer?: string;
  elapsedMs?: number;
  /** Of an acknowledgement, an order to reverse, or the end of a delivery; NOT_ASKED: no URL was set. */
  cause?: Answer | 'NOT_ASKED';
  state?: 'SETTLED' | 'REVERSED';
  transactionId?: number;
}

/** The core's notice of a reversal of the payment. */
export interface ReversalNotice {
  at: string;
  transactionId: number;
  isFailed: boolean;
}

const order: readonly TimelineStep['kind'][] = [
  'PAID', 'NOT_PAID', 'RECEIVED', 'ARMED', 'SENT', 'SENT_AGAIN', 'ANSWERED', 'ACKNOWLEDGED', 'VERDICT', 'DECIDED', 'REVERSAL_REQUESTED',
  'REVERSED', 'REVERSAL_FAILED', 'REFUNDED', 'REFUND_FAILED',
]; // prettier-ignore

/** The steps of one payment in order of time; steps of the same instant stand in the order of the protocol. */
export function timelineOf(evidence: Evidence & { notice: ReversalNotice | null; refunds?: readonly Payment[] }): TimelineStep[] {
  const steps = [
    ...paymentSteps(evidence),
    ...deliverySteps(evidence),
    ...reversalSteps(evidence),
    ...noticeSteps(evidence.notice),
    ...(evidence.refunds ?? []).map(refundStep),
  ];
  return steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || order.indexOf(a.kind) - order.indexOf(b.kind));
}

function paymentSteps({ payment }: Evidence): TimelineStep[] {
  const { outcome, status, amount, currencyCode, completedAt, acknowledgedAt, reversalRequestedAt } = payment;
  const ended =
    outcome === 'NO_MONEY' ? step(completedAt, 'NOT_PAID', { status }) : step(completedAt, 'PAID', { amount, currencyCode });
  const acknowledged = acknowledgedAt
    ? [step(acknowledgedAt, 'ACKNOWLEDGED', { cause: payment.ackSource === 'RECOVERY' ? 'READ' : 'HTTP_200' })]
    : [];
  const requested = reversalRequestedAt
    ? [step(reversalRequestedAt, 'REVERSAL_REQUESTED', { cause: payment.reversalReason! })]
    : [];
  return [ended, ...acknowledged, ...requested];
}

function endOf(verdict: VerdictKind): Answer | 'NOT_ASKED' {
  if (verdict === 'ACKED_HTTP') return 'HTTP_200';
  if (verdict === 'ACKED_PULL') return 'READ';
  return verdict === 'NOT_APPLICABLE' ? 'NOT_ASKED' : reversalReasonOf(verdict);
}

function deliverySteps({ delivery }: Evidence): TimelineStep[] {
  if (!delivery) return [];
  const attempts = delivery.attempts.flatMap(({ attempt, startedAt, outcome, elapsedMs }, at) => {
    // One attempt has two requests when the first, on a connection that had served before, got no answer.
    const isAgain = delivery.attempts[at - 1]?.attempt === attempt;
    const sent = step(startedAt, isAgain ? 'SENT_AGAIN' : 'SENT', { attempt });
    if (outcome === null) return [sent];
    const answeredAt = new Date(Date.parse(startedAt) + (elapsedMs ?? 0)).toISOString();
    return [sent, step(answeredAt, 'ANSWERED', { attempt, answer: outcome, ...(elapsedMs !== null && { elapsedMs }) })];
  });
  const armed = delivery.armedAt ? [step(delivery.armedAt, 'ARMED')] : [];
  const verdict = delivery.verdict ? [step(delivery.verdict.at, 'VERDICT', { cause: endOf(delivery.verdict.kind) })] : [];
  return [step(delivery.receivedAt, 'RECEIVED'), ...armed, ...attempts, ...verdict];
}

function reversalSteps({ reversal }: Evidence): TimelineStep[] {
  if (!reversal?.decidedAt) return [];
  return [step(reversal.decidedAt, 'DECIDED', { state: reversal.state === 'SETTLED' ? 'SETTLED' : 'REVERSED' })];
}

function noticeSteps(notice: ReversalNotice | null): TimelineStep[] {
  if (!notice) return [];
  const { at, transactionId, isFailed } = notice;
  return [step(at, isFailed ? 'REVERSAL_FAILED' : 'REVERSED', { transactionId })];
}

function refundStep({ completedAt, status, amount, currencyCode, transactionId }: Payment): TimelineStep {
  return step(completedAt, status === 'REFUNDED' ? 'REFUNDED' : 'REFUND_FAILED', { amount, currencyCode, transactionId });
}

function step(at: string, kind: TimelineStep['kind'], values: StepValues = {}): TimelineStep {
  return { at, kind, values };
}
