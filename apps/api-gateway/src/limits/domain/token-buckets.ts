export interface BucketRate {
  /** Tokens that come back per second. */
  perS: number;
  /** Tokens a fresh bucket holds. */
  burst: number;
  /** Most buckets kept; beyond it the one unused for longest is forgotten (it would be nearly full anyway). */
  bucketsMax: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets by key, in bounded memory. Pure: the caller brings the monotonic time in milliseconds. */
export class TokenBuckets {
  /** Insertion order is order of last use. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly rate: BucketRate) {}

  /** Takes one token; 0 when there was one, else the milliseconds until there is. */
  take(key: string, nowMs: number): number {
    const bucket = this.refilled(key, nowMs);
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > this.rate.bucketsMax) this.buckets.delete(this.buckets.keys().next().value!);
    if (bucket.tokens < 1) return ((1 - bucket.tokens) * 1_000) / this.rate.perS;
    bucket.tokens -= 1;
    return 0;
  }

  get size(): number {
    return this.buckets.size;
  }

  private refilled(key: string, nowMs: number): Bucket {
    const { perS, burst } = this.rate;
    const bucket = this.buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * perS);
    return { tokens, atMs: nowMs };
  }
}
