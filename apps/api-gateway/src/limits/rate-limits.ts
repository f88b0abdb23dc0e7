import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { scrapedGauge } from '@paycode/service-runtime/metrics';
import { BoundedMap } from '@paycode/service-runtime/timing';
import { type Rate, TokenBuckets } from './domain/token-buckets';

export interface RateLimitSettings {
  addressPerS: number;
  addressBurst: number;
  credentialPerS: number;
  credentialBurst: number;
}

export interface Caller {
  address: string;
  /** Every Authorization header line. */
  authorization: readonly string[];
  /** Monotonic time, milliseconds. */
  nowMs: number;
}

/** Names of the limits in the `RateLimit` fields. */
export type LimitName = 'address' | 'account';

/** Result for a caller before auth-session is asked. */
export interface Admission {
  /** 0 when the request may pass, else whole seconds to wait. */
  waitS: number;
  /** The limit that the wait comes from. */
  limit: LimitName;
  /** Digest of the credential; undefined without one. */
  credential?: string;
  /** Whether the account of the credential is known, and has been charged. */
  isCharged: boolean;
}

const bucketsMax = 50_000;

/**
 * Request rates, checked before auth-session is asked, so that a flood does not reach it: per address, and per account for a credential
 * that was valid at its last use. A credential that was never valid has its own rate, so that nobody can use up the rate of an account with
 * wrong passwords.
 */
export class RateLimits {
  private readonly byAddress = new TokenBuckets(bucketsMax);
  private readonly byCredential = new TokenBuckets(bucketsMax);
  private readonly accounts = new BoundedMap<string, string>(bucketsMax);
  /** Requests per second of accounts that an operator allows more or less than the default. */
  private readonly own = new BoundedMap<string, number>(bucketsMax);
  private readonly defaults: Record<LimitName, Rate>;

  constructor(
    settings: RateLimitSettings,
    private readonly use?: AccountUse,
  ) {
    this.defaults = {
      address: { perS: settings.addressPerS, burst: settings.addressBurst },
      account: { perS: settings.credentialPerS, burst: settings.credentialBurst },
    };
  }

  admit({ address, authorization, nowMs }: Caller): Admission {
    const addressWaitMs = this.byAddress.take(addressKey(address), this.defaults.address, nowMs);
    if (addressWaitMs > 0) return { waitS: wholeSeconds(addressWaitMs), limit: 'address', isCharged: false };
    if (authorization.length === 0) return { waitS: 0, limit: 'account', isCharged: false };
    const credential = digestOf(authorization);
    const account = this.accounts.get(credential);
    const waitMs =
      account === undefined ? this.byCredential.take(credential, this.defaults.account, nowMs) : this.chargeKnown(account, nowMs);
    return { waitS: wholeSeconds(waitMs), limit: 'account', credential, isCharged: account !== undefined };
  }

  /**
   * Charges a valid credential to its account. All spellings and all sessions of the account share that one rate. Returns 0 when the
   * request may pass, else whole seconds to wait.
   */
  charge(credential: string, account: string, nowMs: number): number {
    this.accounts.set(credential, account);
    return wholeSeconds(this.chargeKnown(account, nowMs));
  }

  private chargeKnown(account: string, nowMs: number): number {
    const rate = this.rateOf(account);
    if (rate.perS > 0) this.use?.count(account, rate.perS, nowMs);
    return this.byCredential.take(keyOf(account), rate, nowMs);
  }

  /** `perS` of the latest answer of auth-session; undefined: the default. The lowest lets a request through each second, which brings the next change. */
  keepOwn(account: string, perS: number | undefined): void {
    if (perS === undefined) this.own.delete(account);
    else this.own.set(account, perS);
  }

  private rateOf(account: string): Rate {
    const perS = this.own.get(account);
    return perS === undefined ? this.defaults.account : { perS, burst: 2 * perS };
  }

  /** Fields of an answer to a credential that was let in: the rate of its account, and the requests left. None without a limit. */
  fieldsFor(credential: string | undefined): Record<string, string> {
    const account = credential === undefined ? undefined : this.accounts.get(credential);
    if (account === undefined) return {};
    const rate = this.rateOf(account);
    if (rate.perS === 0) return {};
    return fields('account', rate, { left: this.byCredential.left(keyOf(account), rate), nextS: 1 });
  }

  /** Fields of a refusal: nothing is left before `waitS`. */
  fieldsOfRefusal({ limit, credential }: Pick<Admission, 'limit' | 'credential'>, waitS: number): Record<string, string> {
    const account = limit === 'account' && credential !== undefined ? this.accounts.get(credential) : undefined;
    const rate = account === undefined ? this.defaults[limit] : this.rateOf(account);
    return { 'retry-after': String(waitS), ...fields(limit, rate, { left: 0, nextS: waitS }) };
  }

  /** Removes a refused credential from its account. */
  forget(credential: string): void {
    this.accounts.delete(credential);
  }
}

/**
 * draft-ietf-httpapi-ratelimit-headers-11. Its policies are windows, these are buckets: `q` requests at once, which come back within `w` seconds; `t` seconds
 * until more come back.
 */
function fields(
  limit: LimitName,
  { perS, burst }: Rate,
  { left, nextS }: { left: number; nextS: number },
): Record<string, string> {
  return {
    'ratelimit-policy': `"${limit}";q=${burst};w=${Math.ceil(burst / perS)}`,
    ratelimit: `"${limit}";r=${left};t=${nextS}`,
  };
}

/** No digest of a credential looks like it. */
function keyOf(account: string): string {
  return `account ${account}`;
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

/** A digest: no credential is kept in memory for longer than its request. */
function digestOf(authorization: readonly string[]): string {
  return createHash('sha256').update(authorization.join('\n')).digest('base64');
}

/** Key of a client address for limits. An IPv6 client has at least a /64, so the addresses of a /64 share one key (T-05, T-30). */
export function addressKey(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}

const minuteMs = 60_000;
const accountsMax = 50_000;
/** The alert AccountNearsLimit begins here too. */
const highShare = 0.8;

/**
 * How much of its rate the busiest account used in the last minute, so that operators act before it meets its limit. The metric has no label, because accounts are
 * many: the log names the account.
 */
export class AccountUse {
  private readonly used = new BoundedMap<string, { count: number; perS: number }>(accountsMax);
  private minute = 0;
  private highest = 0;

  /** `onHigh` is called once a minute at most. */
  constructor(private readonly onHigh: (account: string, share: number) => void) {}

  /** `perS`: what the account may do now; `nowMs`: monotonic time. */
  count(account: string, perS: number, nowMs: number): void {
    this.turn(nowMs);
    this.used.set(account, { count: (this.used.get(account)?.count ?? 0) + 1, perS });
  }

  /** Share of the busiest account in the last whole minute; above 1 when some of its requests were refused. */
  share(nowMs: number): number {
    this.turn(nowMs);
    return this.highest;
  }

  private turn(nowMs: number): void {
    const minute = Math.floor(nowMs / minuteMs);
    if (minute === this.minute) return;
    const last = minute === this.minute + 1 ? [...this.used] : [];
    const shares = last.map(([name, { count, perS }]): [string, number] => [name, (count * 1_000) / (perS * minuteMs)]);
    const [account, share] = shares.reduce((most, each) => (each[1] > most[1] ? each : most), ['', 0]);
    this.used.clear();
    this.minute = minute;
    this.highest = share;
    if (this.highest > highShare) this.onHigh(account, this.highest);
  }
}

/** Shows the share at each scrape. */
export function showUse(use: AccountUse): void {
  const help = 'Share of its requests per second that the busiest account used in the last minute, at this gateway.';
  scrapedGauge({ name: 'paycode_api_gateway_account_limit_used', help }, gauge => gauge.set(use.share(performance.now())));
}
