import ipaddr from 'ipaddr.js';
import { createHash } from 'node:crypto';
import { BoundedMap } from '@paycode/service-runtime/timing';
import type { AccountUse } from './account-use';
import { TokenBuckets } from './domain/token-buckets';

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
  /** Digest of the credential; undefined without one, or without a limit. */
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
  private readonly byAddress: TokenBuckets | undefined;
  private readonly byCredential: TokenBuckets | undefined;
  private readonly accounts = new BoundedMap<string, string>(bucketsMax);

  constructor(
    private readonly settings: RateLimitSettings,
    private readonly use?: AccountUse,
  ) {
    this.byAddress = bucketsOf(settings.addressPerS, settings.addressBurst);
    this.byCredential = bucketsOf(settings.credentialPerS, settings.credentialBurst);
  }

  admit({ address, authorization, nowMs }: Caller): Admission {
    const addressWaitMs = this.byAddress?.take(addressKey(address), nowMs) ?? 0;
    if (addressWaitMs > 0) return { waitS: wholeSeconds(addressWaitMs), limit: 'address', isCharged: false };
    if (!this.byCredential || authorization.length === 0) return { waitS: 0, limit: 'account', isCharged: false };
    const credential = digestOf(authorization);
    const account = this.accounts.get(credential);
    const waitMs = account === undefined ? this.byCredential.take(credential, nowMs) : this.chargeKnown(account, nowMs);
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
    this.use?.count(account, nowMs);
    return this.byCredential?.take(keyOf(account), nowMs) ?? 0;
  }

  /** Fields of an answer to a credential that was let in: the rate of its account, and the requests left. None without a limit. */
  fieldsFor(credential: string | undefined): Record<string, string> {
    const account = credential === undefined ? undefined : this.accounts.get(credential);
    if (!this.byCredential || account === undefined) return {};
    return this.fields('account', { left: this.byCredential.left(keyOf(account)), nextS: 1 });
  }

  /** Fields of a refusal: nothing is left before `waitS`. */
  fieldsOfRefusal(limit: LimitName, waitS: number): Record<string, string> {
    return { 'retry-after': String(waitS), ...this.fields(limit, { left: 0, nextS: waitS }) };
  }

  /**
   * draft-ietf-httpapi-ratelimit-headers-11. Its policies are windows, these are buckets: `q` requests at once, which come back within `w` seconds; `t` seconds
   * until more come back.
   */
  private fields(limit: LimitName, { left, nextS }: { left: number; nextS: number }): Record<string, string> {
    const { addressPerS, addressBurst, credentialPerS, credentialBurst } = this.settings;
    const [perS, burst] = limit === 'address' ? [addressPerS, addressBurst] : [credentialPerS, credentialBurst];
    return {
      'ratelimit-policy': `"${limit}";q=${burst};w=${Math.ceil(burst / perS)}`,
      ratelimit: `"${limit}";r=${left};t=${nextS}`,
    };
  }

  /** Removes a refused credential from its account. */
  forget(credential: string): void {
    this.accounts.delete(credential);
  }
}

/** No digest of a credential looks like it. */
function keyOf(account: string): string {
  return `account ${account}`;
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

function bucketsOf(perS: number, burst: number): TokenBuckets | undefined {
  return perS > 0 ? new TokenBuckets({ perS, burst, bucketsMax }) : undefined;
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
