import { type IdRange, planRetention } from './plan-retention';

const day = 86_400_000;
const retention = 90 * day;
const head = { high: 1_000_000, idsPerDay: 100_000 };
const range = (changes: Partial<IdRange>): IdRange => ({ range: 1, lower: 0, upper: 900_000, passedAgoMs: null, ...changes });

describe('planning retention', () => {
  it('opens the first range above the ids in use, for a twelfth of the retention time', () => {
    expect(planRetention([], head, retention).open).toEqual({ lower: 1_010_000, upper: 1_760_000 });
  });

  it('opens the next range, without a gap, two days before ids reach it', () => {
    const present = range({ upper: 1_200_001 });
    expect(planRetention([present], head, retention).open).toBeUndefined();
    expect(planRetention([present], { ...head, high: 1_000_001 }, retention).open!.lower).toBe(1_200_001);
  });

  it('leaves a gap where ids have overrun the last range', () => {
    expect(planRetention([range({ upper: 999_999 })], head, retention).open!.lower).toBe(1_010_000);
  });

  it('leaves the ids of the next hour free, and never opens a smaller range', () => {
    const gap = planRetention([], { high: 0, idsPerDay: 480_001 }, retention).open!;
    expect(gap).toEqual({ lower: 20_001, upper: 20_001 + Math.ceil((480_001 * 90) / 12) });
    expect(planRetention([], { high: 0, idsPerDay: 1 }, retention).open).toEqual({ lower: 10_000, upper: 20_000 });
  });

  it('drops by the clock only, also while the ids in use are not known', () => {
    const ranges = [range({ range: 1, passedAgoMs: 92 * day }), range({ range: 2 })];
    expect(planRetention(ranges, undefined, retention)).toStrictEqual({ open: undefined, passed: [], drop: [1] });
  });

  it('opens nothing while too little is known, and nothing beyond the largest id', () => {
    expect(planRetention([], undefined, retention).open).toBeUndefined();
    expect(planRetention([], { high: Number.MAX_SAFE_INTEGER - 5, idsPerDay: 1 }, retention).open).toBeUndefined();
  });

  it('notes when ids have passed a range, and drops it after the retention time and a day', () => {
    const ranges = [
      range({ range: 1, upper: 900_000, passedAgoMs: 91 * day + 1 }),
      range({ range: 2, upper: 950_000, passedAgoMs: 91 * day }),
      range({ range: 3, upper: 1_000_000 }),
      range({ range: 4, upper: 1_900_000 }),
    ];
    expect(planRetention(ranges, head, retention)).toEqual({ open: undefined, passed: [3], drop: [1] });
  });
});
