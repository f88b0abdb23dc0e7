import fc from 'fast-check';
import { TokenBucket } from './token-bucket';

const rate = { burst: 3, refillMs: 10_000 };

describe('token bucket (T-28)', () => {
  it('gives its burst at once, then one token per refill time, and says how long to wait', () => {
    const bucket = new TokenBucket(rate, { tokens: 3, atMs: 0 });
    expect([0, 0, 0, 0, 9_000, 10_000].map(nowMs => bucket.take(nowMs))).toEqual([0, 0, 0, 10_000, expect.closeTo(1_000, 6), 0]);
    expect(bucket.tokens).toBeCloseTo(0, 6);
  });

  it('never holds more than its burst', () => {
    const bucket = new TokenBucket(rate, { tokens: 0, atMs: 0 });
    expect([bucket.take(1_000_000), bucket.tokens]).toEqual([0, 2]);
  });

  it('a clock that went back refills nothing and takes nothing away', () => {
    const bucket = new TokenBucket(rate, { tokens: 1, atMs: 50_000 });
    expect([bucket.take(1_000), bucket.tokens, bucket.atMs]).toEqual([0, 0, 50_000]);
  });

  it('never gives more in any stretch of time than its burst and its rate allow', () => {
    const rates = fc.record({ burst: fc.integer({ min: 1, max: 20 }), refillMs: fc.integer({ min: 20, max: 1_000 }) });
    const gapsMs = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(rates, gapsMs, (each, gaps) => {
        const bucket = new TokenBucket(each, { tokens: each.burst, atMs: 0 });
        let [atMs, given] = [0, 0];
        for (const gap of gaps) {
          atMs += gap;
          if (bucket.take(atMs) === 0) given += 1;
          expect(given).toBeLessThanOrEqual(each.burst + atMs / each.refillMs + 1e-6);
        }
      }),
    );
  });
});
