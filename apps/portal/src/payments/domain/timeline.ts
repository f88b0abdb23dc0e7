import { type ReversalReason, reversalReasonOf, type VerdictKind } from '@paycode/dto';
import type { Evidence } from './explanation';
import type { Payment } from './payment';

export interface TimelineStep {
  at: string;
  kind:
    | 'PAID'
    | 'RECEIVED'
    | 'ARMED'
    | 'SENT'
    | 'ANSWERED'
    | 'ACKNOWLEDGED'
    | 'VERDICT'
    | 'DECIDED'
    | 'REVERSAL_REQUESTED'
    | 'REVERSED'
    | 'REVERSAL_FAILED'
    | 'REFUNDED'
    | 'REFUND_FAILED';
  text: string;
}

/** The core's notice of a reversal of the payment. */
export interface ReversalNotice {
  at: string;
  transactionId: number;
  isFailed: boolean;
}

const order: readonly TimelineStep['kind'][] = [
  'PAID', 'RECEIVED', 'ARMED', 'SENT', 'ANSWERED', 'ACKNOWLEDGED', 'VERDICT', 'DECIDED', 'REVERSAL_REQUESTED', 'REVERSED',
  'REVERSAL_FAILED', 'REFUNDED', 'REFUND_FAILED',
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
  const { outcome, status, amount, currencyCode } = payment;
  const what = outcome === 'NO_MONEY' ? `Transaction ended with ${status}` : `The customer paid ${amount} ${currencyCode}`;
  const paid = step(payment.completedAt, 'PAID', what);
  const acknowledged = payment.acknowledgedAt
    ? [step(payment.acknowledgedAt, 'ACKNOWLEDGED', `Acknowledged by ${sources[payment.ackSource!]}`)]
    : [];
  const requested = payment.reversalRequestedAt
    ? [step(payment.reversalRequestedAt, 'REVERSAL_REQUESTED', `Reversal ordered: ${causes[payment.reversalReason!]}`)]
    : [];
  return [paid, ...acknowledged, ...requested];
}

const causes: Record<ReversalReason, string> = {
  NON_200: 'your server answered something other than HTTP 200',
  CONNECTION: 'your server could not be reached',
  TIMEOUT: 'no answer within 45 seconds',
  NEVER_SENT: 'the notification could not be sent in time',
  BACKSTOP: 'no outcome was known at the last deadline',
};

function endOf(verdict: VerdictKind): string {
  if (verdict === 'ACKED_HTTP') return 'your server answered HTTP 200';
  if (verdict === 'ACKED_PULL') return 'your server read the notification';
  return verdict === 'NOT_APPLICABLE' ? 'no notification URL was set' : causes[reversalReasonOf(verdict)];
}

const sources = { WEBHOOK: 'HTTP 200 of your server', RECOVERY: 'reading the notification' } as const;

function deliverySteps({ delivery }: Evidence): TimelineStep[] {
  if (!delivery) return [];
  const attempts = delivery.attempts.flatMap(({ attempt, startedAt, outcome, elapsedMs }, at) => {
    // One attempt has two requests when the first, on a connection that had served before, got no answer (A-87).
    const isAgain = delivery.attempts[at - 1]?.attempt === attempt;
    const sent = step(
      startedAt,
      'SENT',
      `Attempt ${attempt}: ${isAgain ? 'sent again on a new connection' : 'notification sent to your server'}`,
    );
    if (outcome === null) return [sent];
    const answeredAt = new Date(Date.parse(startedAt) + (elapsedMs ?? 0)).toISOString();
    return [
      sent,
      step(answeredAt, 'ANSWERED', `Attempt ${attempt}: ${outcome}${elapsedMs === null ? '' : ` after ${elapsedMs} ms`}`),
    ];
  });
  const armed = delivery.armedAt
    ? [step(delivery.armedAt, 'ARMED', 'Reversal armed: it happens unless your server acknowledges')]
    : [];
  const verdict = delivery.verdict
    ? [step(delivery.verdict.at, 'VERDICT', `Delivery ended: ${endOf(delivery.verdict.kind)}`)]
    : [];
  return [step(delivery.receivedAt, 'RECEIVED', 'Notification recorded for delivery'), ...armed, ...attempts, ...verdict];
}

function reversalSteps({ reversal }: Evidence): TimelineStep[] {
  if (!reversal?.decidedAt) return [];
  return [step(reversal.decidedAt, 'DECIDED', reversal.state === 'SETTLED' ? 'Decided: settled' : 'Decided: reversed')];
}

function noticeSteps(notice: ReversalNotice | null): TimelineStep[] {
  if (!notice) return [];
  const { at, transactionId, isFailed } = notice;
  return isFailed
    ? [step(at, 'REVERSAL_FAILED', `Reversal failed: transaction ${transactionId}`)]
    : [step(at, 'REVERSED', `Money returned by transaction ${transactionId}`)];
}

function refundStep({ completedAt, status, amount, currencyCode, transactionId }: Payment): TimelineStep {
  const isMade = status === 'REFUNDED';
  const what = `${isMade ? 'Refunded' : 'Refund failed'}: ${amount} ${currencyCode}, transaction ${transactionId}`;
  return step(completedAt, isMade ? 'REFUNDED' : 'REFUND_FAILED', what);
}

function step(at: string, kind: TimelineStep['kind'], text: string): TimelineStep {
  return { at, kind, text };
}
