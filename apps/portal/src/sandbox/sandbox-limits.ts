import { DomainError } from '@paycode/service-runtime';
import { type BucketRate, type Clock, TokenBucket } from '@paycode/timing';

/** A merchant plays every status at once (36 calls) and a burst, and then waits. */
const rate: BucketRate = { burst: 120, refillMs: 1_000 };
const merchantsMax = 1_000;

/** How much a merchant may rehearse. In memory: a replica more lets through a burst more, and no money moves. */
export class SandboxLimits {
  private readonly buckets = new Map<number, TokenBucket>();

  constructor(private readonly clock: Clock) {}

  /** @throws DomainError 429 */
  take(merchantId: number): void {
    const nowMs = this.clock.epochMs();
    const bucket = this.buckets.get(merchantId) ?? new TokenBucket(rate, { tokens: rate.burst, atMs: nowMs });
    // Whoever was here last is forgotten last.
    this.buckets.delete(merchantId);
    this.buckets.set(merchantId, bucket);
    if (this.buckets.size > merchantsMax) this.buckets.delete(this.buckets.keys().next().value!);
    const waitMs = bucket.take(nowMs);
    if (waitMs === 0) return;
    const message = 'you rehearse faster than one call per second for a while: please wait a moment';
    throw new DomainError({
      status: 429,
      reason: 'REHEARSED_TOO_MUCH',
      message,
      headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
    });
  }
}
