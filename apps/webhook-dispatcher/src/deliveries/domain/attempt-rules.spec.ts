import { isTooOld, mayHaveBeenSent } from './attempt-rules';

describe('the next step that a delivery may take', () => {
  it('a payment may have been sent before from its second attempt on; a notice does not count (P-1.2-10)', () => {
    const payment = [1, 2, 3].map(attempt => mayHaveBeenSent({ isReversible: true, attempt }));
    expect(payment).toEqual([false, true, true]);
    expect(mayHaveBeenSent({ isReversible: false, attempt: 2 })).toBe(false);
  });

  it('is too old a millisecond after B (A-12)', () => {
    expect([899_999, 900_000, 900_001].map(ageMs => isTooOld(ageMs, { dispatchWindowMs: 900_000 }))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
