import { backoffMs } from './backoff';

const limits = { firstMs: 100, maxMs: 5_000 };

describe('back-off', () => {
  it('doubles with each failure in a row, up to the most', () => {
    expect([0, 1, 2, 3, 20, 1e9].map(failures => backoffMs(failures, limits, 0))).toEqual([100, 100, 200, 400, 5_000, 5_000]);
  });

  it('is shortened by up to a half, so that replicas do not retry in step', () => {
    expect([0.5, 1].map(chance => backoffMs(2, limits, chance))).toEqual([150, 100]);
    const waits = Array.from({ length: 200 }, () => backoffMs(3, limits));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...waits)).toBeLessThanOrEqual(400);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});
