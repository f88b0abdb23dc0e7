import type { Exchange } from '../../transport/exchange';
import { sealed } from '../../webhook/envelope';
import {
  type Check,
  fail,
  type Finding,
  isAccepted,
  milliseconds,
  outcomeOf,
  pass,
  sentence,
  type Subject,
  warn,
} from '../check';
import { type Torture, torture, tortures } from '../../../../vectors/torture';

const section = 'Connections, load and time';
const inARow = 10;
const atOnce = 50;
/** A receiver that waits for the end of a body gives no answer. */
const tortureMs = 5_000;

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

/** A request of the public network does no harm. A kept connection tells of a process that died and was started again. */
function tortureCheck(tried: Torture): Check {
  const run = async ({ endpoint, maker, key, deliver }: Subject): Promise<Finding> => {
    const connections = endpoint.connections();
    const onKept = () => deliver(maker.success(), { connections });
    try {
      await onKept();
      const before = await onKept();
      const { url, options } = endpoint;
      const target = { url, ca: options.ca, withinMs: Math.min(options.windowMs, tortureMs) };
      const good = sealed(maker.success().text, key).toString('base64');
      const answer = await torture(target, tried, { good });
      const others = [await deliver(maker.success()), await deliver(maker.success())];
      const after = await onKept();
      const refused = others.find(exchange => !isAccepted(exchange));
      if (refused)
        return fail(`After ${tried.what}, a good notification was not accepted: ${outcomeOf(refused)}. ${tried.advice}`);
      if (answer === '200') return fail(`Answered 200 to ${tried.what}.`);
      if (answer === 'SILENCE') return warn(`No answer came to ${tried.what}. ${tried.advice}`);
      if (before.isReused && !(after.isReused && isAccepted(after)))
        return warn(
          `After ${tried.what}, another client's connection had ended: did a process die and start again? ${tried.advice}`,
        );
      return pass(answer === '' ? 'dropped, and good ones after it were accepted' : `refused with ${answer}`);
    } finally {
      connections.destroy();
    }
  };
  return { id: tried.id, title: `${tried.what}: no harm`, section, run, stopsWith: 'The receiver seems to have ended.' };
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

/** After all others that send something: a receiver that one of them ends fails each of these. */
export const tortureChecks: Check[] = tortures.map(tortureCheck);

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
