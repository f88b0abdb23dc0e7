import { median, percentile, ratioOf, spreadOf } from './statistics.ts';

describe('figures of a benchmark', () => {
  it('a percentile is a value that occurred: the nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0.5, 0.99, 1].map(share => percentile(values, share))).toEqual([50, 99, 100]);
    expect(percentile([7], 0.5)).toBe(7);
    expect(percentile([1, 2], 0.99)).toBe(2);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('percentiles sort numbers, not texts, and leave the values as they are', () => {
    const values = [10, 9, 100];
    expect(percentile(values, 0.5)).toBe(10);
    expect(values).toEqual([10, 9, 100]);
  });

  it('the median of an even number of rounds lies between the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 9, 100, 1])).toBe(9.5);
    expect(median([])).toBeNaN();
  });

  it('a spread names the extremes', () => {
    expect(spreadOf([5, 1, 9])).toEqual({ median: 5, min: 1, max: 9 });
  });

  it('a ratio is taken round by round, not between medians', () => {
    expect(ratioOf([10, 40, 90], [10, 20, 30])).toEqual({ median: 2, min: 1, max: 3 });
  });

  it('rounds that do not pair are an error', () => {
    expect(() => ratioOf([1, 2], [1])).toThrow('2 rounds against 1');
    expect(() => ratioOf([], [])).toThrow('0 rounds against 0');
  });
});
