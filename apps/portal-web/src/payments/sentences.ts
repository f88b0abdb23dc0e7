import { elapsed, money } from '../format';
import { asIs, type Said, t, type Text, type Words } from '../language/language';
import type { Explanation, TimelineStep } from '../portal-api';

const settled = 'Settled: the money is yours. Hand over the goods.';
const reversed = 'Reversed: the customer has the money back. Do not hand over the goods.';

const explanations: Record<Explanation['code'], [headline: Text, why: Text]> = {
  NOT_PAID: [
    'Not paid: {status}. Do not hand over the goods.',
    'The customer was not charged, so nothing is owed or taken back.',
  ],
  REFUND_NOTICE: [
    'A refund of transaction {transactionId}',
    'This tells your server of a refund. It moves no further money, whatever your server answers.',
  ],
  REVERSAL_NOTICE: [
    'A reversal of transaction {transactionId}',
    'This tells your server of a reversal. It moves no further money, whatever your server answers.',
  ],
  SETTLED: [settled, 'Your server answered HTTP 200{time, select, none {} other { in {time}}}.'],
  SETTLED_BY_READING: [settled, 'Your server read the notification itself (getNotification), which acknowledges it.'],
  SETTLED_WITHOUT_NOTIFICATION: [
    'Settled without a notification',
    'No notification URL was set when this was paid, so nobody was asked and nothing is taken back.',
  ],
  REVERSAL_FAILED: [
    'Not reversed: the payment stands',
    'Nobody acknowledged the payment, but the payment network could not give the money back (transaction {transactionId}).',
  ],
  WAITING: ['Waiting for your server. Do not hand over the goods yet.', 'The notification was sent and not yet answered.'],
  NOT_SENT_YET: ['About to be sent. Do not hand over the goods yet.', 'The notification has not left yet.'],
  REVERSED: [reversed, 'The payment network gave the money back; your server’s answer had no part in it.'],
  REVERSED_NON_200: [
    reversed,
    'Your server answered {answer, select, none {something other than HTTP 200} other {{answer}}}. Only HTTP 200 acknowledges a payment; anything else gives the money back.',
  ],
  REVERSED_CONNECTION: [reversed, 'Your server could not be reached{answer, select, none {} other { ({answer})}}.'],
  REVERSED_TIMEOUT: [reversed, 'Your server did not answer within 45 seconds. An answer that comes later no longer counts.'],
  REVERSED_NEVER_SENT: [reversed, 'The notification could not be sent in time, so your server was never asked.'],
  REVERSED_BACKSTOP: [reversed, 'No outcome was known when the last deadline passed, so the payment was reversed to be safe.'],
};

const advices: Record<Explanation['advice'][number], Text> = {
  ANSWER_AT_ONCE: 'Answer 200 as soon as the notification is stored; do the rest of your work afterwards.',
  ASK_SUPPORT: 'Ask support, with the transaction id, if it happens again.',
  AUTHORITY_NOT_PUBLIC: 'The certificate of your server is of an authority that is not public: get one of a public authority.',
  BODY_LIMIT: 'Your server limits the body to less than a notification has: allow 64 kB.',
  BODY_TYPE: 'Your server refuses the type of the body: take text/plain at this path.',
  CERTIFICATE_EARLY: 'The certificate of your server is not valid yet: check its dates.',
  CERTIFICATE_EXPIRED: 'The certificate of your server has expired: renew it.',
  CERTIFICATE_OTHER_NAME: 'The certificate is for another name than that of the URL.',
  CERTIFICATE_SELF_SIGNED: 'The certificate of your server is self-signed: get one of a public authority.',
  CHAIN_INCOMPLETE: 'The certificate chain is incomplete: serve the intermediate certificates too.',
  CHECK_TIME: 'Press Check under Your server to see how long your server takes now.',
  CLOSED_EARLY: 'Your server closed the connection without an answer: look for a crash or a restart at that time.',
  CLOSED_IDLE:
    'A server or proxy of yours ended an idle connection at that moment (408); the notification was sent once more on a new one.',
  CLOSED_WHILE_SENT:
    'Your server closed the connection while the notification was sent: look for a crash or a limit of the body size.',
  EXACTLY_200: 'Answer exactly 200: 201, 202 and 204 do not acknowledge.',
  FIREWALL: 'No connection came about in time: often a firewall that does not let our addresses in.',
  HAND_OVER_OR_REFUND: 'The customer has paid, less what was refunded: hand over the goods, or refund the rest.',
  LET_IN: 'Make sure that the server runs and that its firewall lets our addresses in.',
  NAME_SERVERS_FAILED: 'The name servers of your domain have failed for 45 seconds: ask who runs them.',
  NAME_SERVERS_SILENT: 'The name servers of your domain gave no answer: ask who runs them.',
  NAME_UNKNOWN: 'The host name of the URL has no address: check its spelling and its DNS entry.',
  NOTHING_LISTENS: 'Nothing listens at this address and port: start your server, or correct the URL.',
  NOT_PUBLIC: 'The address is not a public one any more: check the DNS entry of the host name.',
  NOT_YOUR_FAULT: 'This is not a fault of your server.',
  NO_RATE_LIMIT: 'Your server or what stands before it limits requests: exempt this path.',
  NO_REDIRECTS: 'Redirects are not followed: register the address that your server redirects to.',
  NO_SIGN_IN:
    'Something before your program asks for a sign-in or refuses us: let this path through without one. The key authenticates a notification.',
  OLD_KEY_OR_PARSER:
    'A 400 often is an old key, or a body parser that expects JSON: notifications are encrypted text (text/plain).',
  PRESS_CHECK: 'Press Check under Your server: it says whether name, address or certificate stand in the way.',
  PROGRAM_FAILED: 'Your program or what stands before it failed: look into its log at the time of the attempt.',
  READ_LOG:
    'Look into the log of your server at the time of the attempt: a 400 or 500 often is a body parser that expects JSON. Notifications are encrypted text (text/plain).',
  REGISTER_URL: 'Register a URL under Your server to be told of payments as they happen.',
  TAKE_POST: 'Your server takes no POST at the path of the URL: correct the path, or deploy the handler.',
  TLS_FAILED: 'The TLS handshake failed: your server must speak TLS 1.2 or 1.3.',
  UNREACHABLE: 'No way leads to the address of your server: check its DNS entry and its network.',
};

const steps: Record<TimelineStep['kind'], Text> = {
  PAID: 'The customer paid {money}',
  NOT_PAID: 'Transaction ended with {status}',
  RECEIVED: 'Notification recorded for delivery',
  ARMED: 'Reversal armed: it happens unless your server acknowledges',
  SENT: 'Attempt {attempt}: notification sent to your server',
  SENT_AGAIN: 'Attempt {attempt}: sent again on a new connection',
  ANSWERED: 'Attempt {attempt}: {answer}{time, select, none {} other { in {time}}}',
  ACKNOWLEDGED: 'Acknowledged: {cause}',
  VERDICT: 'Delivery ended: {cause}',
  DECIDED: 'Decided: {state, select, SETTLED {settled} other {reversed}}',
  REVERSAL_REQUESTED: 'Reversal ordered: {cause}',
  REVERSED: 'Money returned by transaction {transactionId}',
  REVERSAL_FAILED: 'Reversal failed: transaction {transactionId}',
  REFUNDED: 'Refunded: {money}, transaction {transactionId}',
  REFUND_FAILED: 'Refund failed: {money}, transaction {transactionId}',
};

const causes: Record<NonNullable<TimelineStep['values']['cause']>, Text> = {
  HTTP_200: 'your server answered HTTP 200',
  READ: 'your server read the notification',
  NOT_ASKED: 'no notification URL was set',
  NON_200: 'your server answered something other than HTTP 200',
  CONNECTION: 'your server could not be reached',
  TIMEOUT: 'no answer within 45 seconds',
  NEVER_SENT: 'the notification could not be sent in time',
  BACKSTOP: 'no outcome was known at the last deadline',
};

/** A code that a newer release of the portal has and these pages lack stands as it is. */
const known = <Code extends string>(texts: Record<Code, Text>, code: Code): Words =>
  (texts as Partial<Record<string, Text>>)[code] ?? asIs(code);

/** The sentences about a payment, of the codes and values that the portal answers. */
export function explained({ code, values, advice }: Explanation): { headline: Said; why: Said; advice: Said[] } {
  const [headline, why] = explanations[code] ?? [asIs(code), asIs('')];
  const { elapsedMs, answer = 'none', ...others } = values;
  const all = { ...others, answer, time: elapsedMs === undefined ? 'none' : elapsed(elapsedMs) };
  return { headline: t(headline, all), why: t(why, all), advice: advice.map(each => t(known(advices, each))) };
}

/** The sentence about a step of the timeline. */
export function stepWords({ kind, values }: TimelineStep): Said {
  const { amount, currencyCode, cause, elapsedMs, ...others } = values;
  return t(known(steps, kind), {
    ...others,
    ...(amount !== undefined && currencyCode !== undefined && { money: money(amount, currencyCode) }),
    ...(cause !== undefined && { cause: t(known(causes, cause)) }),
    time: elapsedMs === undefined ? 'none' : elapsed(elapsedMs),
  });
}
