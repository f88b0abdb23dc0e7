import { createHash } from 'node:crypto';
import { addressKey } from './domain/address-key';
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

const bucketsMax = 50_000;

/** Per-address and per-credential request rates, checked before auth-session is asked so that a flood does not reach it. */
export class RateLimits {
  private readonly byAddress: TokenBuckets | undefined;
  private readonly byCredential: TokenBuckets | undefined;

  constructor(settings: RateLimitSettings) {
    this.byAddress = bucketsOf(settings.addressPerS, settings.addressBurst);
    this.byCredential = bucketsOf(settings.credentialPerS, settings.credentialBurst);
  }

  /** 0 when the request may pass, else whole seconds to wait. */
  admit({ address, authorization, nowMs }: Caller): number {
    const addressWaitMs = this.byAddress?.take(addressKey(address), nowMs) ?? 0;
    if (addressWaitMs > 0) return Math.ceil(addressWaitMs / 1_000);
    if (!this.byCredential || authorization.length === 0) return 0;
    return Math.ceil(this.byCredential.take(credentialKey(authorization), nowMs) / 1_000);
  }
}

function bucketsOf(perS: number, burst: number): TokenBuckets | undefined {
  return perS > 0 ? new TokenBuckets({ perS, burst, bucketsMax }) : undefined;
}

/** A digest: no credential is kept in memory for longer than its request. */
function credentialKey(authorization: readonly string[]): string {
  return createHash('sha256').update(authorization.join('\n')).digest('base64');
}
