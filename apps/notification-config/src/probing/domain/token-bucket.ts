/** So many at once, then one per `refillMs`. */
export interface BucketLimit {
  capacity: number;
  refillMs: number;
}

export interface Bucket {
  tokens: number;
  refilledAtMs: number;
}

export type Taken = { ok: true; bucket: Bucket } | { ok: false; retryAfterMs: number };

/** Takes one token at `nowMs`; refused, it says when the next one is there. A clock that went back refills nothing. */
export function takeToken(bucket: Bucket, limit: BucketLimit, nowMs: number): Taken {
  const refilled = Math.max(0, nowMs - bucket.refilledAtMs) / limit.refillMs;
  const tokens = Math.min(limit.capacity, bucket.tokens + refilled);
  if (tokens < 1) return { ok: false, retryAfterMs: Math.ceil((1 - tokens) * limit.refillMs) };
  return { ok: true, bucket: { tokens: tokens - 1, refilledAtMs: Math.max(nowMs, bucket.refilledAtMs) } };
}
