import { BoundedMap } from '@paycode/service-runtime/timing/bounded-map';
import { TokenBucket } from '@paycode/service-runtime/timing/token-bucket';

export interface Rate {
  /** Tokens that come back per second; 0 sets no limit. */
  perS: number;
  /** Tokens a fresh bucket holds. */
  burst: number;
}

interface Kept {
  perS: number;
  bucket: TokenBucket;
}

/** Token buckets by key, in bounded memory. Pure: the caller passes the monotonic time in milliseconds. */
export class TokenBuckets {
  /** Insertion order is order of last use. The least recently used one is dropped: it would be nearly full anyway. */
  private readonly buckets: BoundedMap<string, Kept>;

  constructor(bucketsMax: number) {
    this.buckets = new BoundedMap(bucketsMax);
  }

  /** Takes one token; 0 when there was one, else the milliseconds until there is. */
  take(key: string, rate: Rate, nowMs: number): number {
    if (rate.perS === 0) return 0;
    const kept = this.buckets.get(key);
    const bucket = kept?.perS === rate.perS ? kept.bucket : bucketAt(rate, kept?.bucket ?? { tokens: rate.burst, atMs: nowMs });
    this.buckets.set(key, { perS: rate.perS, bucket });
    return bucket.take(nowMs);
  }

  /** Whole tokens that a key has left, as of its last use. */
  left(key: string, { burst }: Rate): number {
    return Math.floor(Math.min(this.buckets.get(key)?.bucket.tokens ?? burst, burst));
  }

  get size(): number {
    return this.buckets.size;
  }
}

/** At another rate a bucket keeps what it holds, as far as it has room. */
function bucketAt({ perS, burst }: Rate, { tokens, atMs }: { tokens: number; atMs: number }): TokenBucket {
  return new TokenBucket({ burst, refillMs: 1_000 / perS }, { tokens: Math.min(tokens, burst), atMs });
}
