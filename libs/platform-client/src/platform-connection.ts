import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallerTls } from './http/mutual-tls.ts';
import { type JsonAnswer, type JsonRequest, sendJson } from './http/send-json.ts';

/** `.paycode/standalone.json` (architecture 7). */
export interface Standalone {
  baseUrl: string;
  caFile: string;
  internal: Record<string, string>;
  operatorTokenFile: string;
  accounts: { username: string; password: string; type: string }[];
  merchants: { merchantId: number; pspId: number | null; status: string }[];
  processes: Record<string, number>;
}

/** No platform runs, or it does not answer. */
export class PlatformNotRunningError extends Error {
  constructor(home: string) {
    super(`Paycode is not running (looked in ${home}). Start it in another terminal and leave it there:\n\n  npm start\n`);
    this.name = 'PlatformNotRunningError';
  }
}

export interface Credentials {
  username: string;
  password: string;
}

interface Call {
  method: string;
  path: string;
  body?: unknown;
}

/** A running standalone platform: its gateway as clients see it, its internal listeners as an operator does. */
export class PlatformConnection {
  readonly standalone: Standalone;
  /** Address of the client of each request, for a gateway that trusts this machine as a proxy. */
  clientAddress: (() => string) | undefined;
  private readonly home: string;
  private readonly ca: string;
  private readonly operatorToken: string;
  private readonly operatorTls: CallerTls | undefined;

  /** `operatorTls`: shown to services whose internal address is `https:`. */
  constructor(home: string, operatorTls?: CallerTls) {
    this.home = home;
    this.operatorTls = operatorTls;
    const file = join(home, 'standalone.json');
    if (!existsSync(file)) throw new PlatformNotRunningError(home);
    this.standalone = JSON.parse(readFileSync(file, 'utf8')) as Standalone;
    this.ca = readFileSync(this.standalone.caFile, 'utf8');
    this.operatorToken = readFileSync(this.standalone.operatorTokenFile, 'utf8');
  }

  /** A request through the gateway; `as` signs in with Basic. */
  gateway({ as, ...call }: Call & { as?: Credentials }): Promise<JsonAnswer> {
    const headers: Record<string, string> = as === undefined ? {} : { authorization: basic(as) };
    if (this.clientAddress) headers['x-forwarded-for'] = this.clientAddress();
    return this.send({ ...call, url: this.standalone.baseUrl + call.path, headers });
  }

  /** A request to a service's internal listener with the operator token. */
  operator(service: string, call: Call): Promise<JsonAnswer> {
    const headers = { authorization: `Bearer ${this.operatorToken}` };
    const mutualTls = this.operatorTls && { ...this.operatorTls, servername: service };
    return this.send({ ...call, url: this.standalone.internal[service] + call.path, headers, mutualTls });
  }

  /** Credentials of a demo account. */
  account(username: string): Credentials {
    const account = this.standalone.accounts.find(each => each.username === username);
    if (!account) throw new Error(`there is no demo account ${username}`);
    return account;
  }

  private async send(call: Omit<JsonRequest, 'ca'>): Promise<JsonAnswer> {
    try {
      return await sendJson({ ...call, ca: this.ca });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') throw new PlatformNotRunningError(this.home);
      throw error;
    }
  }
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
