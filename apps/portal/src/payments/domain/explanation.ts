import type { DeliveryAttempt, DeliveryTimeline, ReversalReason, ReversalState } from '@paycode/dto';
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
  advice: ['Register a URL under Your server to be told of payments as they happen.'],
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
      'Press Check under Your server: it says whether name, address or certificate stand in the way.',
      'Make sure that the server runs and that its firewall lets our addresses in.',
    ],
  }),
  TIMEOUT: () => ({
    why: 'Your server did not answer within 45 seconds. An answer that comes later no longer counts.',
    advice: [
      'Answer 200 as soon as the notification is stored; do slow work afterwards.',
      'Press Check under Your server to see how long your server takes now.',
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

/** Explanation of a failed connection by the code of the attempt (`CONNECTION: <code>`). */
const connections: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens at this address and port: start your server, or correct the URL.',
  ECONNRESET: 'Your server closed the connection without an answer: look for a crash or a restart at that time.',
  EPIPE: 'Your server closed the connection while the notification was sent: look for a crash or a limit of the body size.',
  UND_ERR_SOCKET: 'Your server closed the connection without an answer: look for a crash or a restart at that time.',
  HTTP_408:
    'A server or proxy of yours ended an idle connection at that moment (408); the notification was sent once more on a new one.',
  ENOTFOUND: 'The host name of the URL has no address: check its spelling and its DNS entry.',
  EAI_AGAIN: 'The name servers of your domain gave no answer: ask who runs them.',
  ZONE_FAILED: 'The name servers of your domain have failed for 45 seconds: ask who runs them.',
  ETIMEDOUT: 'No connection came about in time: often a firewall that does not let our addresses in.',
  CONNECT_BUDGET: 'No connection came about in time: often a firewall that does not let our addresses in.',
  EHOSTUNREACH: 'No way leads to the address of your server: check its DNS entry and its network.',
  ENETUNREACH: 'No way leads to the address of your server: check its DNS entry and its network.',
  OUTBOUND_REFUSED: 'The address is not a public one any more: check the DNS entry of the host name.',
  CERT_HAS_EXPIRED: 'The certificate of your server has expired: renew it.',
  CERT_NOT_YET_VALID: 'The certificate of your server is not valid yet: check its dates.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of your server is self-signed: get one of a public authority.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of your server is of an authority that is not public: get one of a public authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate chain is incomplete: serve the intermediate certificates too.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate chain is incomplete: serve the intermediate certificates too.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name than that of the URL.',
  EPROTO: 'The TLS handshake failed: your server must speak TLS 1.2 or 1.3.',
};

/** Advice for the code of a failed connection; undefined: there is none for this code. */
export function connectionAdvice(outcome: string | undefined): string | undefined {
  const code = /^CONNECTION: (\w+)$/.exec(outcome ?? '')?.[1];
  return code === undefined || !Object.hasOwn(connections, code) ? undefined : connections[code];
}

const statuses: readonly (readonly [is: (status: number) => boolean, advice: string])[] = [
  [status => status >= 201 && status < 300, 'Answer exactly 200: 201, 202 and 204 do not acknowledge.'],
  [status => status >= 300 && status < 400, 'Redirects are not followed: register the address that your server redirects to.'],
  [
    status => status === 401 || status === 403,
    'Something before your program asks for a sign-in or refuses us: let this path through without one. The key authenticates a notification.',
  ],
  [
    status => status === 404 || status === 405,
    'Your server takes no POST at the path of the URL: correct the path, or deploy the handler.',
  ],
  [status => status === 413, 'Your server limits the body to less than a notification has: allow 64 kB.'],
  [status => status === 415, 'Your server refuses the type of the body: take text/plain at this path.'],
  [status => status === 429, 'Your server or what stands before it limits requests: exempt this path.'],
  [
    status => status >= 400 && status < 500,
    'A 400 often is an old key, or a body parser that expects JSON: notifications are encrypted text (text/plain).',
  ],
  [status => status >= 500, 'Your program or what stands before it failed: look into its log at the time of the attempt.'],
];

/** Advice for an HTTP status; undefined: there is none for this outcome. */
export function statusAdvice(outcome: string | undefined): string | undefined {
  const status = Number(/^HTTP (\d{3})$/.exec(outcome ?? '')?.[1]);
  return statuses.find(([is]) => is(status))?.[1];
}
