import { type Ceilings, excessOf } from './work-per-payment';

const work = (statements: number, rowsInserted: number, walBytes: number) => ({ statements, rowsInserted, walBytes });
const ceilings: Ceilings = { 'one per call': work(2, 11, 12_000), '100 per call': work(0.2, 11, 12_000) };

describe('the ceilings of what a payment costs the database', () => {
  it('hold what is counted up to them', () => {
    expect(excessOf(ceilings, ceilings)).toEqual([]);
  });

  it.each([
    ['statements', work(2.01, 11, 12_000)],
    ['rowsInserted', work(2, 11.01, 12_000)],
    ['walBytes', work(2, 11, 12_001)],
  ] as const)('name %s that are more', (of, measured) => {
    const found = excessOf({ ...ceilings, 'one per call': measured }, ceilings);
    expect(found).toEqual([{ what: `${of}, one per call`, measured: measured[of], ceiling: ceilings['one per call'][of] }]);
  });

  it('are not held by what could not be counted', () => {
    expect(excessOf({ ...ceilings, '100 per call': work(NaN, 11, 12_000) }, ceilings)).toHaveLength(1);
  });
});
