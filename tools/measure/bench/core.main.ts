/**
 * A payment core in a process of its own: it completes payments by calls. In a burst, `callers` callers call again as soon as they are
 * answered; at a steady rate, each payment is called for when it is due (open loop).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { monotonicMs, serveCalls } from './child-processes.ts';
import { sampleNotification } from './merchants.ts';

export interface CoreOptions {
  /** Base URL of payment-simulator, and the token for it. */
  url: string;
  token: string;
  merchantIds: number[];
}

export interface CoreLoad {
  /** Payments in all. */
  count: number;
  /** Payments of one call. */
  perCall: number;
  /** Payments per second; each as soon as a caller is free when infinite. */
  perSecond: number;
}

/** The completed payments; all times by the monotonic clock. */
export interface Completed {
  startedMs: number;
  transactionIds: Float64Array;
  /** When the payment with that id was due to be called for. */
  dueMs: Float64Array;
}

/** Connections, and so the most calls under way. */
const callers = 64;
const triesMax = 10;
const retryAfterMs = 1_000;

let pool: Pool;
let headers: Record<string, string>;
let merchants: readonly number[];
let ids: number[] = [];
let due: number[] = [];

/** A call with `count` payments; `from` counts those before. The merchants take turns. */
function callOf(from: number, count: number): string {
  const itemOf = (at: number) => {
    const merchantId = merchants[at % merchants.length]!;
    const { amount, tipAmount, currencyCode, reference, cardInfo, bankResponse, clientContact, clientBilling, clientShipping } =
      sampleNotification(at, merchantId);
    const passedThrough = { cardInfo, bankResponse, clientContact, clientBilling, clientShipping };
    return { merchantId, amount, tipAmount, currencyCode, reference, ...passedThrough };
  };
  return JSON.stringify(Array.from({ length: count }, (_, at) => itemOf(from + at)));
}

/** A service that is too busy for its database says so (503), and is asked again, as a payment core does. */
async function complete(body: string, dueMs: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const answer = await pool.request({ path: '/internal/transactions', method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode === 503 && tries < triesMax) {
      process.stderr.write(`answered 503, try ${tries} of ${triesMax}\n`);
      await pause(retryAfterMs);
      continue;
    }
    if (answer.statusCode !== 201) throw new Error(`the simulator answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    for (const { transactionId } of JSON.parse(text) as { transactionId: number }[]) {
      ids.push(transactionId);
      due.push(dueMs);
    }
    return;
  }
}

/** Calls are made up before the clock starts. Resolves to when it started. */
async function burst({ count, perCall }: CoreLoad): Promise<number> {
  const calls = Array.from({ length: Math.ceil(count / perCall) }, (_, at) => callOf(at * perCall, perCall));
  const startedMs = monotonicMs();
  const caller = async () => {
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) await complete(call, monotonicMs());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return startedMs;
}

async function steady({ count, perCall, perSecond }: CoreLoad): Promise<number> {
  const startedMs = monotonicMs();
  const underWay: Promise<void>[] = [];
  for (let sent = 0; sent < count; sent += perCall) {
    const dueMs = startedMs + (sent * 1_000) / perSecond;
    const call = callOf(sent, perCall);
    const waitMs = dueMs - monotonicMs();
    if (waitMs > 0) await pause(waitMs);
    underWay.push(complete(call, dueMs));
  }
  await Promise.all(underWay);
  return startedMs;
}

serveCalls({
  open: ({ url, token, merchantIds }: CoreOptions) => {
    pool = new Pool(url, { connections: callers });
    headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    merchants = merchantIds;
  },
  run: async (load: CoreLoad): Promise<Completed> => {
    [ids, due] = [[], []];
    const startedMs = await (load.perSecond === Infinity ? burst(load) : steady(load));
    return { startedMs, transactionIds: Float64Array.from(ids), dueMs: Float64Array.from(due) };
  },
});
