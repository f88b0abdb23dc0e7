import { type Counted, excessOf } from './work-per-payment';

const some = { statements: 2, rowsInserted: 11, walBytes: 12_000, allocatedBytes: 200_000, cpuPieces: 1_000 };
const work = (other: Partial<typeof some> = {}) => ({ ...some, ...other });
const ceilings: Counted = { 'one per call': work(), '100 per call': work({ statements: 0.2 }) };

describe('the ceilings of what a payment costs', () => {
  it('hold what is counted up to them', () => {
    expect(excessOf(ceilings, ceilings)).toEqual([]);
  });

  it.each([
    ['statements', work({ statements: 2.01 })],
    ['rowsInserted', work({ rowsInserted: 11.01 })],
    ['walBytes', work({ walBytes: 12_001 })],
    ['allocatedBytes', work({ allocatedBytes: 200_001 })],
  ] as const)('name %s that are more', (of, measured) => {
    const found = excessOf({ ...ceilings, 'one per call': measured }, ceilings);
    expect(found).toEqual([{ what: `${of}, one per call`, measured: measured[of], ceiling: ceilings['one per call'][of] }]);
  });

  it('are not held by what could not be counted', () => {
    expect(excessOf({ ...ceilings, '100 per call': work({ statements: NaN }) }, ceilings)).toHaveLength(1);
  });
});
