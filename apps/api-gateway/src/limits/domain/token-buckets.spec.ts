import fc from 'fast-check';
import { addressKey } from '../rate-limits';
import { TokenBuckets } from './token-buckets';

describe('a token bucket per key', () => {
  it('lets a burst pass, then one per refill, and gives the time to wait', () => {
    const buckets = new TokenBuckets(10);
    const waits = [0, 0, 0, 0, 250, 500, 999, 1_000].map(atMs => Math.round(buckets.take('a', { perS: 2, burst: 3 }, atMs)));
    expect(waits).toEqual([0, 0, 0, 500, 250, 0, 1, 0]);
  });

  it('has a bucket for each key and a limit of keys', () => {
    const buckets = new TokenBuckets(2);
    const take = (key: string) => buckets.take(key, { perS: 1, burst: 1 }, 0);
    expect([take('a'), take('b'), take('a'), take('c')]).toEqual([0, 0, 1_000, 0]);
    expect(buckets.size).toBe(2);
    expect([take('a'), take('b')]).toEqual([1_000, 0]);
  });

  it('a bucket whose rate changes keeps what it holds, as far as there is room; without a rate it limits nothing', () => {
    const buckets = new TokenBuckets(2);
    const take = (perS: number, atMs: number) => buckets.take('a', { perS, burst: 2 * perS }, atMs);
    expect([take(1, 0), take(1, 0), take(1, 0)]).toEqual([0, 0, 1_000]);
    expect([take(10, 0), take(10, 100), take(10, 100)]).toEqual([100, 0, 100]);
    expect([take(10, 2_100), buckets.left('a', { perS: 1, burst: 2 }), take(1, 2_100), take(1, 2_100), take(1, 2_100)]).toEqual([
      0, 2, 0, 0, 1_000,
    ]);
    expect([take(0, 2_100), take(0, 2_100)]).toEqual([0, 0]);
  });

  it('never lets more pass in any stretch of time than its burst and its rate allow', () => {
    const settings = fc.record({
      perS: fc.integer({ min: 1, max: 50 }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    const gapsMs = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(settings, gapsMs, (rate, gaps) => {
        const buckets = new TokenBuckets(5);
        let atMs = 0;
        let passed = 0;
        for (const gap of gaps) {
          atMs += gap;
          if (buckets.take('a', rate, atMs) === 0) passed += 1;
          expect(passed).toBeLessThanOrEqual(rate.burst + (rate.perS * atMs) / 1_000 + 1e-6);
        }
      }),
    );
  });
});

describe('the key under which limits count a client', () => {
  it.each([
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff::4', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['198.51.100.7', '198.51.100.8', false],
    ['198.51.100.7', '198.51.100.7', true],
  ])('%s and %s have the same key: %s (T-05, T-30)', (one, other, isSame) => {
    expect(addressKey(one) === addressKey(other)).toBe(isSame);
  });
});
