import { countDeviations, deviationsOf, type Evidence } from './exact-audit.ts';

const rows = (kind: string, ...ids: number[]) => ids.map(transactionId => ({ transactionId, kind }));

function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    sent: [1, 2, 3],
    received: [3, 1, 2],
    verdicts: rows('ACKED_HTTP', 1, 2, 3),
    decisions: rows('SETTLED', 2, 1, 3),
    ...changes,
  };
}

describe('the audit at the end of a benchmark', () => {
  it('finds nothing when each payment has one POST, one verdict and one decision', () => {
    expect(deviationsOf(evidence())).toEqual([]);
  });

  it('finds a missing and a double POST (P-I8)', () => {
    expect(deviationsOf(evidence({ received: [1, 1, 3] }))).toEqual(['1 x no POST (2)', '1 x more than one POST (1)']);
  });

  it('finds a missing and a double verdict (P-I1)', () => {
    const verdicts = rows('ACKED_HTTP', 1, 1, 3);
    expect(deviationsOf(evidence({ verdicts }))).toEqual(['1 x no verdict (2)', '1 x more than one verdict (1)']);
  });

  it('finds a missing and a double decision (P-I2)', () => {
    const decisions = rows('SETTLED', 1, 3, 3);
    expect(deviationsOf(evidence({ decisions }))).toEqual(['1 x no decision (2)', '1 x more than one decision (3)']);
  });

  it('finds a transaction that nobody sent', () => {
    const received = [1, 2, 3, 4];
    expect(deviationsOf(evidence({ received }))).toEqual(['1 x POST of a transaction that was not sent (4)']);
  });

  it('finds a payment that ended in another way', () => {
    const verdicts = [...rows('ACKED_HTTP', 1, 2), ...rows('CLOSED_TIMEOUT', 3)];
    const decisions = [...rows('SETTLED', 1, 2), ...rows('REVERSED', 3)];
    expect(deviationsOf(evidence({ verdicts, decisions }))).toEqual([
      '1 x verdict other than ACKED_HTTP (3)',
      '1 x decision other than SETTLED (3)',
    ]);
  });

  it('names a few examples only', () => {
    expect(countDeviations('POST', new Set([1, 2, 3, 4, 5]), [])).toEqual(['5 x no POST (1, 2, 3, …)']);
  });
});
