import { takeToken } from './token-bucket';

const limit = { capacity: 3, refillMs: 10_000 };

describe('token bucket (T-28)', () => {
  it('gives its capacity at once, then one token per refill time', () => {
    let bucket = { tokens: 3, refilledAtMs: 0 };
    for (let i = 0; i < 3; i += 1) {
      const taken = takeToken(bucket, limit, 0);
      if (!taken.ok) throw new Error('refused');
      bucket = taken.bucket;
    }
    expect(takeToken(bucket, limit, 0)).toEqual({ ok: false, retryAfterMs: 10_000 });
    expect(takeToken(bucket, limit, 9_000)).toEqual({ ok: false, retryAfterMs: 1_000 });
    expect(takeToken(bucket, limit, 10_000)).toEqual({ ok: true, bucket: { tokens: 0, refilledAtMs: 10_000 } });
  });

  it('never holds more than its capacity', () => {
    expect(takeToken({ tokens: 0, refilledAtMs: 0 }, limit, 1_000_000)).toMatchObject({ bucket: { tokens: 2 } });
  });

  it('a clock that went back refills nothing and takes nothing away', () => {
    expect(takeToken({ tokens: 1, refilledAtMs: 50_000 }, limit, 1_000)).toEqual({
      ok: true,
      bucket: { tokens: 0, refilledAtMs: 50_000 },
    });
  });
});
