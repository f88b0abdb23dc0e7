import fc from 'fast-check';
import { TokenBuckets } from './token-buckets';

describe('a token bucket per key', () => {
  it('lets a burst pass, then one per refill, and gives the time to wait', () => {
    const buckets = new TokenBuckets({ perS: 2, burst: 3, bucketsMax: 10 });
    const waits = [0, 0, 0, 0, 250, 500, 999, 1_000].map(atMs => Math.round(buckets.take('a', atMs)));
    expect(waits).toEqual([0, 0, 0, 500, 250, 0, 1, 0]);
  });

  it('has a bucket for each key and a limit of keys', () => {
    const buckets = new TokenBuckets({ perS: 1, burst: 1, bucketsMax: 2 });
    expect([buckets.take('a', 0), buckets.take('b', 0), buckets.take('a', 0), buckets.take('c', 0)]).toEqual([0, 0, 1_000, 0]);
    expect(buckets.size).toBe(2);
    expect(buckets.take('a', 0)).toBe(1_000);
    expect(buckets.take('b', 0)).toBe(0);
  });

  it('never lets more pass in any stretch of time than its burst and its rate allow', () => {
    const settings = fc.record({
      perS: fc.integer({ min: 1, max: 50 }),
      burst: fc.integer({ min: 1, max: 20 }),
      bucketsMax: fc.constant(5),
    });
    const gapsMs = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(settings, gapsMs, (rate, gaps) => {
        const buckets = new TokenBuckets(rate);
        let atMs = 0;
        let passed = 0;
        for (const gap of gaps) {
          atMs += gap;
          if (buckets.take('a', atMs) === 0) passed += 1;
          expect(passed).toBeLessThanOrEqual(rate.burst + (rate.perS * atMs) / 1_000 + 1e-6);
        }
      }),
    );
  });
});
