import { countDeviations, deviationsOf } from './report.ts';
import { type Counted, excessOf } from './work-per-payment.ts';

const rows = (kind: string, ...ids: number[]) => ids.map(transactionId => ({ transactionId, kind }));
const exact = {
  sent: [1, 2, 3],
  received: [3, 1, 2],
  verdicts: rows('ACKED_HTTP', 1, 2, 3),
  decisions: rows('SETTLED', 2, 1, 3),
};

describe('the audit at the end of a benchmark (P-I1, P-I2, P-I8)', () => {
  it.each<[string, Partial<typeof exact>, string[]]>([
    ['nothing when each payment has one POST, one verdict and one decision', {}, []],
    ['a POST that is missing or double', { received: [1, 1, 3] }, ['1 x no POST (2)', '1 x more than one POST (1)']],
    ['a transaction that nobody sent', { received: [1, 2, 3, 4] }, ['1 x POST of a transaction that was not sent (4)']],
    [
      'a verdict that is missing or another',
      { verdicts: [...rows('ACKED_HTTP', 1), ...rows('CLOSED_TIMEOUT', 3)] },
      ['1 x no verdict (2)', '1 x verdict other than ACKED_HTTP (3)'],
    ],
    [
      'a decision that is double, and another',
      { decisions: [...rows('SETTLED', 1, 2, 2), ...rows('REVERSED', 3)] },
      ['1 x more than one decision (2)', '1 x decision other than SETTLED (3)'],
    ],
  ])('finds %s', (_, changes, found) => {
    expect(deviationsOf({ ...exact, ...changes })).toEqual(found);
  });

  it('names a few examples only', () => {
    expect(countDeviations('POST', new Set([1, 2, 3, 4, 5]), [])).toEqual(['5 x no POST (1, 2, 3, …)']);
  });
});

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
