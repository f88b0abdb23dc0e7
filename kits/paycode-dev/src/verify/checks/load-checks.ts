import type { Exchange } from '../../transport/exchange';
import { sealed } from '../../webhook/envelope';
import { notificationRequest } from '../../webhook/webhook-request';
import { type Check, fail, type Finding, pass, type Subject, warn } from '../check';
import { isAccepted, milliseconds, outcomeOf, sentence } from '../outcome';

const section = 'Connections, load and time';
const inARow = 10;
const atOnce = 50;
/** More than one, for a receiver that ends a moment after the broken request. */
const afterHalf = 3;
const halfSentAdvice =
  'It seems that the receiver crashed: reading the body of an aborted request fails. Catch that error (in Node: put the loop over the request into the try), or whoever knows the URL can stop the receiver.';

async function keepAlive({ endpoint, maker, deliver }: Subject): Promise<Finding> {
  const connections = endpoint.connections();
  try {
    const exchanges: Exchange[] = [];
    for (let count = 0; count < inARow; count += 1) {
      const exchange = await deliver(maker.success(), { connections });
      if (!isAccepted(exchange)) return fail(`Notification ${count + 1} over one connection: ${outcomeOf(exchange)}.`);
      exchanges.push(exchange);
    }
    const reused = exchanges.filter(({ isReused }) => isReused).length;
    if (reused > 0) return pass(`${inARow} notifications over ${inARow - reused} connection(s)`);
    return warn('The receiver ends the connection after each answer: every notification waits for a new one.');
  } finally {
    connections.destroy();
  }
}

async function connectionClose({ endpoint, maker, deliver }: Subject): Promise<Finding> {
  const connections = endpoint.connections(1, false);
  try {
    const exchange = await deliver(maker.success(), { connections });
    if (isAccepted(exchange) && exchange.flaw === null) return pass('200, and the connection ends');
    if (isAccepted(exchange)) return warn('Answered 200 to a request with Connection: close, but the answer does not end.');
    return fail(`${sentence(outcomeOf(exchange))} The request had the header Connection: close.`);
  } finally {
    connections.destroy();
  }
}

async function fiftyAtOnce({ maker, deliver }: Subject): Promise<Finding> {
  const exchanges = await Promise.all(Array.from({ length: atOnce }, () => deliver(maker.success())));
  const refused = exchanges.filter(exchange => !isAccepted(exchange));
  const [first] = refused;
  if (first) return fail(`${refused.length} of ${atOnce} were not acknowledged, the first because: ${outcomeOf(first)}.`);
  return pass(`the slowest after ${milliseconds(Math.max(...exchanges.map(({ ms }) => ms!)))}`);
}

async function halfSent({ endpoint, maker, key, deliver }: Subject): Promise<Finding> {
  const { transactionId, text } = maker.success();
  await endpoint.breakOff(notificationRequest(sealed(text, key).toString('base64'), { transactionId }));
  for (let count = 0; count < afterHalf; count += 1) {
    const exchange = await deliver(maker.success());
    if (!isAccepted(exchange))
      return fail(`After half a body, a good one was not accepted: ${outcomeOf(exchange)}. ${halfSentAdvice}`);
  }
  return pass('good bodies after it were accepted');
}

/** The value below which `share` of the sorted times are. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function timesFinding(times: readonly number[], windowMs: number): Finding {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const measured = `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)} of ${times.length} answers`;
  // Half of the window is left to a network and a day that are worse than this one.
  if (p99 > windowMs / 2)
    return warn(`${sentence(measured)} The platform waits ${milliseconds(windowMs)}: answer first, work later.`);
  return pass(`${measured}; the limit is ${milliseconds(windowMs)}`);
}

function answerForm({ flaws }: Subject): Finding {
  if (flaws.includes('TOO_LONG'))
    return warn('An answer has more than 64 KiB: the platform ends such connections. Send no body.');
  if (flaws.includes('UNFINISHED'))
    return warn('An answer does not end: its length or its last chunk is wrong, or it takes too long.');
  return pass('complete and short');
}

export const loadChecks: Check[] = [
  { id: 'keep-alive', title: 'several notifications over one connection', section, run: keepAlive },
  { id: 'connection-close', title: 'the header Connection: close is honoured', section, run: connectionClose },
  { id: 'fifty-at-once', title: '50 notifications at once', section, run: fiftyAtOnce },
];

/** After all others that send something: a receiver that it ends fails each of them. */
export const halfSentCheck: Check = {
  id: 'half-sent',
  title: 'a request that breaks off does no harm',
  section,
  run: halfSent,
};

/** They look back at all that was answered. */
export const closingChecks: Check[] = [
  {
    id: 'answer-times',
    title: 'answers come long before the limit',
    section,
    run: ({ times, endpoint }) => timesFinding(times, endpoint.options.windowMs),
  },
  { id: 'answer-form', title: 'answers are complete and short', section, run: answerForm },
];
