import { BoundedMap } from '@paycode/service-runtime/timing/bounded-map';
import { type BucketRate, TokenBucket } from '@paycode/service-runtime/timing/token-bucket';

export interface BucketsRate {
  /** Tokens that come back per second. */
  perS: number;
  /** Tokens a fresh bucket holds. */
  burst: number;
  /** Most buckets kept; beyond that the least recently used one is dropped (it would be nearly full anyway). */
  bucketsMax: number;
}

/** Token buckets by key, in bounded memory. Pure: the caller passes the monotonic time in milliseconds. */
export class TokenBuckets {
  /** Insertion order is order of last use. */
  private readonly buckets: BoundedMap<string, TokenBucket>;

  private readonly bucketRate: BucketRate;

  constructor(private readonly rate: BucketsRate) {
    this.buckets = new BoundedMap(rate.bucketsMax);
    this.bucketRate = { burst: rate.burst, refillMs: 1_000 / rate.perS };
  }

  /** Takes one token; 0 when there was one, else the milliseconds until there is. */
  take(key: string, nowMs: number): number {
    const bucket = this.buckets.get(key) ?? new TokenBucket(this.bucketRate, { tokens: this.rate.burst, atMs: nowMs });
    this.buckets.set(key, bucket);
    return bucket.take(nowMs);
  }

  /** Whole tokens that a key has left, as of its last use. */
  left(key: string): number {
    return Math.floor(this.buckets.get(key)?.tokens ?? this.rate.burst);
  }

  get size(): number {
    return this.buckets.size;
  }
}
