/** Customers of a standalone platform, in an open loop: payments begin when they are due, however many wait, and what fails is repeated. */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Credentials, PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';

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
export interface Paid {
  transactionId: string;
  dueMs: number;
  paidMs: number;
}

export class Customers {
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
    if (paid) this.paid.push({ transactionId: String(paid.transactionId), dueMs, paidMs: performance.now() });
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
    return { path, method: 'POST' as const, body, headers: { 'content-type': 'application/json', ...(as && { authorization }) } };
  }

  private count(status: number): undefined {
    this.tries.set(status, (this.tries.get(status) ?? 0) + 1);
  }
}
