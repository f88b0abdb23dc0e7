export interface BucketRate {
  /** Tokens a full bucket holds. */
  burst: number;
  /** Time in which one token comes back, in milliseconds. */
  refillMs: number;
}

/** The content of a bucket, for storage elsewhere: `tokens` at `atMs` of the caller's clock. */
export interface BucketFill {
  tokens: number;
  atMs: number;
}

/**
 * A token bucket: a burst of tokens, then one per refill time. The caller passes the time, in milliseconds; a clock that went back refills
 * nothing.
 */
export class TokenBucket implements BucketFill {
  tokens: number;
  atMs: number;

  constructor(
    private readonly rate: BucketRate,
    fill: BucketFill,
  ) {
    this.tokens = fill.tokens;
    this.atMs = fill.atMs;
  }

  /** Puts tokens in, besides those that come with time. */
  add(tokens: number): void {
    this.tokens = Math.min(this.rate.burst, this.tokens + tokens);
  }

  /** Takes one token; 0 when there was one, else the milliseconds until there is. */
  take(nowMs: number): number {
    const { burst, refillMs } = this.rate;
    if (nowMs > this.atMs) {
      this.tokens = Math.min(burst, this.tokens + (nowMs - this.atMs) / refillMs);
      this.atMs = nowMs;
    }
    if (this.tokens < 1) return (1 - this.tokens) * refillMs;
    this.tokens -= 1;
    return 0;
  }
}
