/**
 * A payment core in a process of its own: it completes payments by calls to payment-simulator. In a burst, `callers` callers call again as
 * soon as they are answered; at a steady rate, each payment is called for when it is due (open loop).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { serveCalls } from './child-calls.ts';
import { monotonicMs } from './clock.ts';
import { sampleNotification } from './sample-notification.ts';

export interface CoreOptions {
  /** Internal base URL of payment-simulator, and the operator's token for it. */
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

/** What was completed; all times by the monotonic clock. */
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
let merchantIds: number[] = [];
let ids: number[] = [];
let due: number[] = [];

/** Items of one call, `from` counting payments. */
function bodyOf(from: number, count: number): string {
  const items = Array.from({ length: count }, (_, at) => {
    const merchantId = merchantIds[(from + at) % merchantIds.length]!;
    const { amount, tipAmount, currencyCode, reference, cardInfo, bankResponse, clientContact, clientBilling, clientShipping } =
      sampleNotification(from + at, merchantId);
    const passedThrough = { cardInfo, bankResponse, clientContact, clientBilling, clientShipping };
    return { merchantId, amount, tipAmount, currencyCode, reference, ...passedThrough };
  });
  return JSON.stringify(items);
}

/** A service that is too busy for its database says so (503), and is asked again, as a payment core does. */
async function answerTo(body: string): Promise<{ status: number; text: string }> {
  for (let tries = 1; ; tries++) {
    const answer = await pool.request({ path: '/internal/transactions', method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 503 || tries === triesMax) return { status: answer.statusCode, text };
    process.stderr.write(`payment-simulator answered 503, try ${tries} of ${triesMax}\n`);
    await pause(retryAfterMs);
  }
}

async function complete(body: string, dueMs: number): Promise<void> {
  const { status, text } = await answerTo(body);
  if (status !== 201) throw new Error(`payment-simulator answered ${status}: ${text.slice(0, 300)}`);
  for (const { transactionId } of JSON.parse(text) as { transactionId: number }[]) {
    ids.push(transactionId);
    due.push(dueMs);
  }
}

async function burst({ count, perCall }: CoreLoad): Promise<void> {
  const bodies = Array.from({ length: Math.ceil(count / perCall) }, (_, at) => bodyOf(at * perCall, perCall));
  const caller = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await complete(body, monotonicMs());
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function steady({ count, perCall, perSecond }: CoreLoad): Promise<void> {
  const startedMs = monotonicMs();
  const underWay: Promise<void>[] = [];
  for (let sent = 0; sent < count; sent += perCall) {
    const dueMs = startedMs + (sent * 1_000) / perSecond;
    const body = bodyOf(sent, perCall);
    const waitMs = dueMs - monotonicMs();
    if (waitMs > 0) await pause(waitMs);
    underWay.push(complete(body, dueMs));
  }
  await Promise.all(underWay);
}

serveCalls({
  open: (options: CoreOptions) => {
    pool = new Pool(options.url, { connections: callers });
    headers = { authorization: `Bearer ${options.token}`, 'content-type': 'application/json' };
    merchantIds = options.merchantIds;
  },
  run: async (load: CoreLoad): Promise<Completed> => {
    [ids, due] = [[], []];
    const startedMs = monotonicMs();
    await (load.perSecond === Infinity ? burst(load) : steady(load));
    return { startedMs, transactionIds: Float64Array.from(ids), dueMs: Float64Array.from(due) };
  },
});
