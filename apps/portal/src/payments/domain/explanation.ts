import type { DeliveryAttempt, DeliveryTimeline, ReversalReason, ReversalState } from '@paycode/dto';
import type { Payment } from './payment';

/** Facts about one payment; null: the service that has them has no record of the payment, or did not answer. */
export interface Evidence {
  payment: Payment;
  delivery: DeliveryTimeline | null;
  reversal: ReversalState | null;
}

export type ExplanationCode =
  | 'NOT_PAID'
  | 'REFUND_NOTICE'
  | 'REVERSAL_NOTICE'
  | 'SETTLED'
  | 'SETTLED_BY_READING'
  | 'SETTLED_WITHOUT_NOTIFICATION'
  | 'REVERSAL_FAILED'
  | 'WAITING'
  | 'NOT_SENT_YET'
  | 'REVERSED'
  | `REVERSED_${ReversalReason}`;

/** Codes, because the pages make the sentences, in the language of the reader. */
export interface Explanation {
  /** Whether it is paid and whether the goods may go, and why. */
  code: ExplanationCode;
  /** Of the code: why it was not paid, the other transaction, the milliseconds until HTTP 200, the answer that lost the payment. */
  values: { status?: string; transactionId?: number; elapsedMs?: number; answer?: string };
  /** Actions for the merchant; empty when there are none. */
  advice: AdviceCode[];
  /** When a payment that waits is reversed without an HTTP 200, ISO 8601 UTC; null: it does not wait, or nobody knows. */
  dueAt: string | null;
}

type Told = Pick<Explanation, 'code'> & Partial<Explanation>;

/** Why a payment is as it is, and what to do, for the people of the merchant. */
export function explain(evidence: Evidence): Explanation {
  const { payment, delivery, reversal } = evidence;
  const isAsked = payment.outcome === 'PENDING' && isSent(delivery);
  return { values: {}, advice: [], dueAt: isAsked && reversal?.dueAt ? reversal.dueAt : null, ...toldOf(evidence) };
}

function toldOf(evidence: Evidence): Told {
  const { payment, delivery } = evidence;
  if (payment.outcome === 'NO_MONEY') return explainNotice(payment);
  if (payment.outcome === 'SETTLED') return explainSettled(payment);
  if (payment.outcome === 'REVERSED') return explainReversed(evidence);
  if (delivery?.verdict?.kind === 'NOT_APPLICABLE') return { code: 'SETTLED_WITHOUT_NOTIFICATION', advice: ['REGISTER_URL'] };
  return { code: isSent(delivery) ? 'WAITING' : 'NOT_SENT_YET' };
}

const isSent = (delivery: Evidence['delivery']) => delivery !== null && delivery.attempts.length > 0;

function explainNotice({ kind, status, referenceTransactionId }: Payment): Told {
  if (kind === 'PURCHASE') return { code: 'NOT_PAID', values: { status } };
  return { code: `${kind}_NOTICE`, values: { transactionId: referenceTransactionId } };
}

function explainSettled({ ackSource, ackElapsedMs, reversalFailedBy }: Payment): Told {
  if (ackSource === null && reversalFailedBy !== null)
    return { code: 'REVERSAL_FAILED', values: { transactionId: reversalFailedBy }, advice: ['HAND_OVER_OR_REFUND'] };
  if (ackSource === 'RECOVERY') return { code: 'SETTLED_BY_READING' };
  return { code: 'SETTLED', values: ackElapsedMs === null ? {} : { elapsedMs: ackElapsedMs } };
}

function explainReversed({ payment, delivery, reversal }: Evidence): Told {
  const reason = payment.reversalReason ?? reversal?.reason;
  if (!reason) return { code: 'REVERSED' };
  const answer = lastAnswer(delivery?.attempts);
  return { code: `REVERSED_${reason}`, values: answer === undefined ? {} : { answer }, advice: adviceFor(reason, answer) };
}

/** The server's answer, or the reason why it gave none; undefined: nobody knows. */
export function lastAnswer(attempts: readonly DeliveryAttempt[] | undefined): string | undefined {
  return attempts?.findLast(({ outcome }) => outcome !== null)?.outcome ?? undefined;
}

const advice = {
  NON_200: ['ANSWER_AT_ONCE'],
  CONNECTION: ['PRESS_CHECK', 'LET_IN'],
  TIMEOUT: ['ANSWER_AT_ONCE', 'CHECK_TIME'],
  NEVER_SENT: ['NOT_YOUR_FAULT', 'ASK_SUPPORT'],
  BACKSTOP: ['ASK_SUPPORT'],
} as const satisfies Record<ReversalReason, string[]>;

const adviceByAnswer: Partial<Record<ReversalReason, (answer: string | undefined) => AdviceCode | undefined>> = {
  NON_200: answer => statusAdvice(answer) ?? 'READ_LOG',
  CONNECTION: connectionAdvice,
};

function adviceFor(reason: ReversalReason, answer: string | undefined): AdviceCode[] {
  return [adviceByAnswer[reason]?.(answer), ...advice[reason]].filter(code => code !== undefined);
}

/** Advice by the code of a failed attempt (`CONNECTION: <code>`). */
const connections = {
  ECONNREFUSED: 'NOTHING_LISTENS',
  ECONNRESET: 'CLOSED_EARLY',
  EPIPE: 'CLOSED_WHILE_SENT',
  UND_ERR_SOCKET: 'CLOSED_EARLY',
  HTTP_408: 'CLOSED_IDLE',
  ENOTFOUND: 'NAME_UNKNOWN',
  EAI_AGAIN: 'NAME_SERVERS_SILENT',
  ZONE_FAILED: 'NAME_SERVERS_FAILED',
  ETIMEDOUT: 'FIREWALL',
  CONNECT_BUDGET: 'FIREWALL',
  EHOSTUNREACH: 'UNREACHABLE',
  ENETUNREACH: 'UNREACHABLE',
  OUTBOUND_REFUSED: 'NOT_PUBLIC',
  CERT_HAS_EXPIRED: 'CERTIFICATE_EXPIRED',
  CERT_NOT_YET_VALID: 'CERTIFICATE_EARLY',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'CERTIFICATE_SELF_SIGNED',
  SELF_SIGNED_CERT_IN_CHAIN: 'AUTHORITY_NOT_PUBLIC',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'CHAIN_INCOMPLETE',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'CHAIN_INCOMPLETE',
  ERR_TLS_CERT_ALTNAME_INVALID: 'CERTIFICATE_OTHER_NAME',
  EPROTO: 'TLS_FAILED',
} as const;

/** Advice for the code of a failed connection; undefined: there is none for this code. */
export function connectionAdvice(outcome: string | undefined): AdviceCode | undefined {
  const code = /^CONNECTION: (\w+)$/.exec(outcome ?? '')?.[1];
  return code === undefined || !Object.hasOwn(connections, code) ? undefined : connections[code as keyof typeof connections];
}

/** The first that begins so. */
const statuses = [
  [/^20[1-9]|^2[1-9]/, 'EXACTLY_200'],
  [/^3/, 'NO_REDIRECTS'],
  [/^40[13]/, 'NO_SIGN_IN'],
  [/^40[45]/, 'TAKE_POST'],
  [/^413/, 'BODY_LIMIT'],
  [/^415/, 'BODY_TYPE'],
  [/^429/, 'NO_RATE_LIMIT'],
  [/^4/, 'OLD_KEY_OR_PARSER'],
  [/^[5-9]/, 'PROGRAM_FAILED'],
] as const;

/** Advice for an HTTP status; undefined: there is none for this outcome. */
export function statusAdvice(outcome: string | undefined): AdviceCode | undefined {
  const status = /^HTTP (\d{3})$/.exec(outcome ?? '')?.[1];
  return statuses.find(([form]) => form.test(status ?? ''))?.[1];
}

export type AdviceCode =
  | 'REGISTER_URL'
  | 'HAND_OVER_OR_REFUND'
  | 'READ_LOG'
  | (typeof advice)[ReversalReason][number]
  | (typeof connections)[keyof typeof connections]
  | (typeof statuses)[number][1];
