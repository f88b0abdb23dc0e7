/**
 * `npm run bench -- overload`: customers offer a standalone platform 0.5 to 10 times the payments that it can take, wait for 5 seconds and repeat
 * what fails; then 10 times for a minute, and how long until all is as before. The services and PostgreSQL share a part of a core, so that
 * gateway, customers and merchants have processor time left. The audit: every accepted payment is settled. Linux only, as root.
 *   --quick         shorter runs, for a first look
 */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Credentials, PlatformConnection } from '../../libs/platform-client/src/platform-connection.ts';
import { customerAddress, openShops } from '../prove/game-day/shops.ts';
import { OwnPlatform } from '../prove/testing/own-platform.ts';
import { descendantsOf } from '../prove/testing/processes.ts';
import { CpuShare } from './bench/cpu-share.ts';

const isQuick = process.argv.includes('--quick');
/** Each request has an address of its own, as behind a proxy, so that no limit of one address refuses it. */
const settings = { TRUSTED_PROXIES: '127.0.0.1,::1' };
const share = 0.3;
const factors = [0.5, 1, 2, 5, 10];
const callers = 32;
const warmUpS = 20;
const stretchS = isQuick ? 14 : 30;
/** Of a stretch, before its figures count: queues fill. */
const fillingS = 6;
const longS = isQuick ? 20 : 60;
const afterS = 30;
/** A payment counts whose notification is there so soon after it is due. */
const goodMs = 15_000;
const normalMs = 2_000;
/** A second has some payments more or fewer than its rate. */
const normalShare = 0.8;
/** One slow second on a busy machine is not the overload. */
const normalForS = 5;
const decidedWithinMs = 180_000;
const goals = `goals: 0.9 of the peak, 10 s`;

/** Of one try, as clients of the gateway wait. */
const timeoutMs = 5_000;
const triesMax = 3;
const repeatAfterMs = 1_000;
/** Each customer has a connection of its own; one that finds none is refused, as by a proxy. */
const connectionsMax = 4_000;
const connectionsOpened = 500;
const tickMs = 5;

interface Request {
  path: string;
  body: string;
  as?: Credentials;
}

/** A payment that the platform has accepted; times by `performance.now()`. */
interface Paid {
  transactionId: number;
  dueMs: number;
  paidMs: number;
}

/** An open loop: payments begin when they are due, however many wait, and what fails is repeated. */
class Customers {
  readonly paid: Paid[] = [];
  /** Tries by their status; 0: no answer in time, -1: no connection. */
  readonly tries = new Map<number, number>();
  private readonly merchants: readonly Credentials[];
  private readonly pool: Pool;
  private readonly underWay = new Set<Promise<void>>();
  private open = 0;

  constructor({ standalone: { baseUrl, caFile } }: PlatformConnection, merchants: readonly Credentials[]) {
    this.merchants = merchants;
    const connect = { ca: readFileSync(caFile, 'utf8'), timeout: timeoutMs };
    this.pool = new Pool(baseUrl, { connections: connectionsMax, keepAliveTimeout: 60_000, connect });
  }

  /** Opens connections, so that no handshake is measured that a client has behind it. */
  async connect(): Promise<void> {
    await Promise.all(Array.from({ length: connectionsOpened }, () => this.tryOnce({ path: '/public/none', body: '{}' })));
  }

  /** Callers that begin the next payment when the last has ended. Gives the payments per second. */
  async closedLoop(callers: number, seconds: number): Promise<number> {
    const [before, startedMs] = [this.paid.length, performance.now()];
    const caller = async () => {
      while (performance.now() - startedMs < seconds * 1_000) await this.pay(performance.now());
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return ((this.paid.length - before) * 1_000) / (performance.now() - startedMs);
  }

  /** `perSecond` payments for some seconds; does not wait for their ends. */
  async openLoop(perSecond: number, seconds: number): Promise<void> {
    const startedMs = performance.now();
    for (let begun = 0; begun < perSecond * seconds; await pause(tickMs)) {
      const due = Math.min(perSecond * seconds, ((performance.now() - startedMs) * perSecond) / 1_000);
      for (; begun < due; begun++) {
        const payment = this.pay(startedMs + (begun * 1_000) / perSecond);
        this.underWay.add(payment);
        void payment.then(() => this.underWay.delete(payment));
      }
    }
  }

  /** Resolves when no customer waits any more. */
  async ended(): Promise<void> {
    await Promise.all(this.underWay);
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
  }

  private async pay(dueMs: number): Promise<void> {
    const as = this.merchants[randomInt(this.merchants.length)];
    const key = randomBytes(18).toString('base64url');
    const details = { merchantReference: key, amount: 25.5, currencyCode: 'ZAR' };
    const made = await this.send<{ code: string }>({ path: '/pluto/code/create', body: JSON.stringify(details), as });
    const press = { outcome: 'SUCCESS', clientMsisdn: '+27820000001', idempotencyKey: key };
    const paid =
      made && (await this.send<{ transactionId: number }>({ path: `/public/pay/${made.code}`, body: JSON.stringify(press) }));
    if (paid) this.paid.push({ transactionId: paid.transactionId, dueMs, paidMs: performance.now() });
  }

  /** Both requests may be repeated: the reference and the key name the payment. */
  private async send<T>(request: Request): Promise<T | undefined> {
    for (let left = triesMax; left > 0; left--) {
      const answer = await this.tryOnce<T>(request);
      if (answer) return answer;
      if (left > 1) await pause(repeatAfterMs * (0.5 + Math.random()));
    }
    return undefined;
  }

  private async tryOnce<T>(request: Request): Promise<T | undefined> {
    if (this.open >= connectionsMax) return this.count(-1);
    this.open += 1;
    const overall = new AbortController();
    const timer = setTimeout(() => overall.abort(), timeoutMs);
    try {
      const { statusCode, body } = await this.pool.request({ ...this.requestOf(request), signal: overall.signal });
      const text = await body.text();
      this.count(statusCode);
      return statusCode < 300 ? (JSON.parse(text) as T) : undefined;
    } catch {
      return this.count(0);
    } finally {
      clearTimeout(timer);
      this.open -= 1;
    }
  }

  private requestOf({ path, body, as }: Request) {
    const authorization = as && `Basic ${Buffer.from(`${as.username}:${as.password}`).toString('base64')}`;
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': customerAddress(), ...(as && { authorization }) };
    return { path, method: 'POST' as const, body, headers };
  }

  private count(status: number): undefined {
    this.tries.set(status, (this.tries.get(status) ?? 0) + 1);
  }
}

interface Parts {
  customers: Customers;
  /** When each payment was last posted. */
  postedAt: ReadonlyMap<number, number>;
}

/** Offers a load, and gives the payments per second that are accepted and notified in time. */
async function stretch({ customers, postedAt }: Parts, perSecond: number, seconds: number): Promise<number> {
  customers.tries.clear();
  const fromMs = performance.now() + fillingS * 1_000;
  await customers.openLoop(perSecond, seconds);
  const untilMs = performance.now();
  const times = customers.paid.flatMap(({ transactionId, dueMs, paidMs }) => {
    const doneMs = Math.max(paidMs, postedAt.get(transactionId) ?? Infinity);
    return doneMs >= fromMs && doneMs < untilMs && doneMs - dueMs < goodMs ? [doneMs - dueMs] : [];
  });
  const goodput = (times.length * 1_000) / (untilMs - fromMs);
  const cells = [perSecond, goodput, times.sort((left, right) => left - right)[times.length >> 1] ?? NaN];
  const tries = [...customers.tries].map(([status, count]) => `${status}: ${count}`).join(', ');
  console.log(`${cells.map(cell => cell.toFixed(0).padStart(9)).join('')}  ${tries}`);
  return goodput;
}

/** Seconds until new payments are fast again, at half of the capacity: after the last payment of the overload, and after the last repeat of one. */
async function recovery({ customers, postedAt }: Parts, capacity: number): Promise<[number, number]> {
  const fromMs = performance.now();
  const overload = customers.ended().then(() => (performance.now() - fromMs) / 1_000);
  await customers.openLoop(capacity / 2, afterS);
  await customers.ended();
  const fast = Array.from({ length: afterS }, () => 0);
  for (const { transactionId, dueMs, paidMs } of customers.paid)
    if (dueMs >= fromMs && Math.max(paidMs, postedAt.get(transactionId) ?? Infinity) - dueMs < normalMs)
      fast[Math.floor((dueMs - fromMs) / 1_000)]! += 1;
  const repeatsS = await overload;
  console.log(
    `customers of the overload repeat for ${repeatsS.toFixed(0)} s; paid and notified within ${normalMs} ms, by second: ${fast.join(' ')}`,
  );
  const isNormal = (at: number) => {
    const next = fast.slice(at, at + normalForS);
    return next.reduce((sum, count) => sum + count, 0) >= (next.length * normalShare * capacity) / 2;
  };
  const normalS = [...fast.keys()].find(isNormal) ?? afterS;
  return [normalS, Math.max(0, normalS - repeatsS)];
}

/** Every accepted payment is posted and settled. All merchants answer at once, so none may be reversed. */
async function audit({ customers, postedAt }: Parts, schedulerUrl: string): Promise<boolean> {
  const decided = async (decision: string) => {
    const text = await fetch(`${schedulerUrl}/metrics`).then(answer => answer.text());
    const lines = text.matchAll(new RegExp(`^paycode_reversal_scheduler_decisions_total\\{.*"${decision}".*\\} (\\d+)$`, 'gm'));
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const unposted = () => customers.paid.filter(({ transactionId }) => !postedAt.has(transactionId)).length;
  const isOpen = async () => unposted() > 0 || (await decided('SETTLED')) < postedAt.size;
  const giveUpAt = performance.now() + decidedWithinMs;
  while (performance.now() < giveUpAt && (await isOpen())) await pause(500);
  const [settled, reversed] = [await decided('SETTLED'), await decided('REVERSED')];
  console.log(
    `${postedAt.size} payments posted, ${settled} settled, ${reversed} reversed; ${unposted()} accepted and not posted`,
  );
  return settled >= postedAt.size && reversed === 0 && unposted() === 0;
}

async function measure(platform: OwnPlatform): Promise<boolean> {
  const connection = new PlatformConnection(platform.home);
  const shops = await openShops(connection, 8);
  const postedAt = new Map<number, number>();
  for (const { receiver } of shops)
    receiver.answer = ({ transactionId }) => (postedAt.set(transactionId, performance.now()), 200);
  const credentials = shops.map(({ merchant }) => merchant.credentials);
  const parts = { postedAt, customers: new Customers(connection, credentials) };
  const { customers } = parts;
  await customers.connect();
  await customers.closedLoop(callers, warmUpS);
  const services = descendantsOf(process.pid).filter(({ name }) => name !== 'api-gateway' && name !== 'npm start');
  const quota = new CpuShare(
    share,
    services.map(({ pid }) => pid),
  );
  try {
    const capacity = await customers.closedLoop(callers, stretchS);
    console.log(
      `capacity ${capacity.toFixed(0)} payments/s with ${callers} callers\n  offered   good/s   p50 ms  tries by status (0: no answer)`,
    );
    const curve = [];
    for (const factor of factors) {
      curve.push(await stretch(parts, factor * capacity, stretchS));
      await customers.ended();
    }
    await stretch(parts, factors.at(-1)! * capacity, longS);
    const [normalS, ownS] = await recovery(parts, capacity);
    const kept = curve.at(-1)! / Math.max(...curve);
    console.log(
      `at ${factors.at(-1)} times ${kept.toFixed(2)} of the peak; ${longS} s of it, normal ${normalS} s later, ${ownS.toFixed(0)} s after the last repeat (${goals})`,
    );
  } finally {
    quota.lift();
  }
  const isExact = await audit(parts, connection.standalone.internal['reversal-scheduler']!);
  await Promise.all([customers.stop(), ...shops.map(shop => shop.receiver.stop())]);
  await platform.stop();
  quota.close();
  return isExact;
}

const platform = await OwnPlatform.start(undefined, settings);
try {
  process.exitCode = (await measure(platform)) ? 0 : 1;
} finally {
  await platform.stop();
}
