import type { DeliveryAttempt, DeliveryTimeline, ReversalReason, ReversalState } from '@paycode/dto';
import { connectionAdvice, statusAdvice } from './answer-words';
import type { Payment } from './payment';

/** Facts about one payment; null: the service that has them has no record of the payment, or did not answer. */
export interface Evidence {
  payment: Payment;
  delivery: DeliveryTimeline | null;
  reversal: ReversalState | null;
}

export interface Explanation {
  /** Paid or not, and whether the goods may go. */
  headline: string;
  why: string;
  /** Actions for the merchant; empty when there are none. */
  advice: string[];
  /** When a payment that waits is reversed without an HTTP 200, ISO 8601 UTC; null: it does not wait, or nobody knows. */
  dueAt: string | null;
}

type Words = Omit<Explanation, 'dueAt'>;

/** Why a payment is as it is, and what to do, for the people of the merchant. */
export function explain(evidence: Evidence): Explanation {
  const { payment, delivery, reversal } = evidence;
  const isAsked = payment.outcome === 'PENDING' && (delivery?.attempts.length ?? 0) > 0;
  return { ...wordsOf(evidence), dueAt: isAsked && reversal?.dueAt ? reversal.dueAt : null };
}

function wordsOf(evidence: Evidence): Words {
  const { payment, delivery } = evidence;
  if (payment.outcome === 'NO_MONEY') return explainNotice(payment);
  if (payment.outcome === 'SETTLED') return explainSettled(payment);
  if (payment.outcome === 'REVERSED') return explainReversed(evidence);
  if (delivery?.verdict?.kind === 'NOT_APPLICABLE') return notSent;
  return explainPending(delivery);
}

function explainNotice({ kind, status, referenceTransactionId }: Payment): Words {
  if (kind === 'PURCHASE')
    return {
      headline: `Not paid: ${status}. Do not hand over the goods.`,
      why: 'The customer was not charged, so nothing is owed or taken back.',
      advice: [],
    };
  const what = kind === 'REFUND' ? 'refund' : 'reversal';
  return {
    headline: `A ${what} of transaction ${referenceTransactionId}`,
    why: `This tells your server of a ${what}. It moves no further money, whatever your server answers.`,
    advice: [],
  };
}

const settled = 'Settled: the money is yours. Hand over the goods.';
const reversed = 'Reversed: the customer has the money back. Do not hand over the goods.';

function explainSettled({ ackSource, ackElapsedMs, reversalFailedBy }: Payment): Words {
  if (ackSource === null && reversalFailedBy !== null)
    return {
      headline: 'Not reversed: the payment stands',
      why: `Nobody acknowledged the payment, but the payment network could not give the money back (transaction ${reversalFailedBy}).`,
      advice: ['The customer has paid, less what was refunded: hand over the goods, or refund the rest.'],
    };
  if (ackSource === 'RECOVERY')
    return {
      headline: settled,
      why: 'Your server read the notification itself (getNotification), which acknowledges it.',
      advice: [],
    };
  const after = ackElapsedMs === null ? '' : ` after ${ackElapsedMs} ms`;
  return { headline: settled, why: `Your server answered HTTP 200${after}.`, advice: [] };
}

const notSent: Words = {
  headline: 'Settled without a notification',
  why: 'No notification URL was set when this was paid, so nobody was asked and nothing is taken back.',
  advice: ['Register a URL under Notifications to be told of payments as they happen.'],
};

function explainPending(delivery: Evidence['delivery']): Words {
  if (delivery !== null && delivery.attempts.length > 0)
    return {
      headline: 'Waiting for your server. Do not hand over the goods yet.',
      why: 'The notification was sent and not yet answered.',
      advice: [],
    };
  return { headline: 'About to be sent. Do not hand over the goods yet.', why: 'The notification has not left yet.', advice: [] };
}

const byReason: Record<ReversalReason, (answer: string | undefined) => Pick<Words, 'why' | 'advice'>> = {
  NON_200: answer => ({
    why: `Your server answered ${answer ?? 'something other than HTTP 200'}. Only HTTP 200 acknowledges a payment; anything else gives the money back.`,
    advice: [
      statusAdvice(answer) ??
        'Look into the log of your server at the time of the attempt: a 400 or 500 often is a body parser that expects JSON. Notifications are encrypted text (text/plain).',
      'Answer 200 as soon as the notification is stored; do the rest of your work afterwards.',
    ],
  }),
  CONNECTION: answer => ({
    why: `Your server could not be reached${answer ? ` (${answer})` : ''}.`,
    advice: [
      ...[connectionAdvice(answer)].filter(advice => advice !== undefined),
      'Press Check under Notifications: it says whether name, address or certificate stand in the way.',
      'Make sure that the server runs and that its firewall lets our addresses in.',
    ],
  }),
  TIMEOUT: () => ({
    why: 'Your server did not answer within 45 seconds. An answer that comes later no longer counts.',
    advice: [
      'Answer 200 as soon as the notification is stored; do slow work afterwards.',
      'Press Check under Notifications to see how long your server takes now.',
    ],
  }),
  NEVER_SENT: () => ({
    why: 'The notification could not be sent in time, so your server was never asked.',
    advice: ['This is not a fault of your server. Ask support, with the transaction id, if it happens again.'],
  }),
  BACKSTOP: () => ({
    why: 'No outcome was known when the last deadline passed, so the payment was reversed to be safe.',
    advice: ['Ask support, with the transaction id, if it happens again.'],
  }),
};

function explainReversed({ payment, delivery, reversal }: Evidence): Words {
  const reason = payment.reversalReason ?? reversal?.reason;
  if (!reason)
    return {
      headline: reversed,
      why: 'The payment network gave the money back; your server’s answer had no part in it.',
      advice: [],
    };
  return { headline: reversed, ...byReason[reason](lastAnswer(delivery?.attempts)) };
}

function lastAnswer(attempts: readonly DeliveryAttempt[] | undefined): string | undefined {
  return attempts?.findLast(({ outcome }) => outcome !== null)?.outcome ?? undefined;
}
