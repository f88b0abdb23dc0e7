import ipaddr from 'ipaddr.js';
import { createHash } from 'node:crypto';
import { BoundedMap } from '@paycode/service-runtime/timing';
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

/** Result for a caller before auth-session is asked. */
export interface Admission {
  /** 0 when the request may pass, else whole seconds to wait. */
  waitS: number;
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

  constructor(settings: RateLimitSettings) {
    this.byAddress = bucketsOf(settings.addressPerS, settings.addressBurst);
    this.byCredential = bucketsOf(settings.credentialPerS, settings.credentialBurst);
  }

  admit({ address, authorization, nowMs }: Caller): Admission {
    const addressWaitMs = this.byAddress?.take(addressKey(address), nowMs) ?? 0;
    if (addressWaitMs > 0) return { waitS: wholeSeconds(addressWaitMs), isCharged: false };
    if (!this.byCredential || authorization.length === 0) return { waitS: 0, isCharged: false };
    const credential = digestOf(authorization);
    const account = this.accounts.get(credential);
    const waitMs = this.byCredential.take(account ?? credential, nowMs);
    return { waitS: wholeSeconds(waitMs), credential, isCharged: account !== undefined };
  }

  /**
   * Charges a valid credential to its account. All spellings and all sessions of the account share that one rate. Returns 0 when the
   * request may pass, else whole seconds to wait.
   */
  charge(credential: string, account: string, nowMs: number): number {
    const key = `account ${account}`;
    this.accounts.set(credential, key);
    return wholeSeconds(this.byCredential?.take(key, nowMs) ?? 0);
  }

  /** Removes a refused credential from its account. */
  forget(credential: string): void {
    this.accounts.delete(credential);
  }
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

/**
 * Key of a client address for limits. An IPv6 client has at least a /64, so the addresses of a /64 share one key (T-05,
 * T-30).
 */
export function addressKey(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toByteArray().slice(0, 8).join('.');
}
