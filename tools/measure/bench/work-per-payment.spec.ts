import { type Counted, excessOf } from './work-per-payment';

const work = { statements: 2, rowsInserted: 11, walBytes: 12_000, allocatedBytes: 200_000 };
const ceilings: Counted = { 'one per call': work, '100 per call': work };

it.each(['statements', 'rowsInserted', 'walBytes', 'allocatedBytes'] as const)(
  'a payment that costs more %s than its ceiling is named, and one whose cost could not be counted',
  of => {
    expect(excessOf(ceilings, ceilings)).toEqual([]);
    const what = `${of}, one per call`;
    for (const measured of [work[of] + 1, NaN]) {
      const found = excessOf({ ...ceilings, 'one per call': { ...work, [of]: measured } }, ceilings);
      expect(found).toEqual([{ what, measured, ceiling: work[of] }]);
    }
  },
);
