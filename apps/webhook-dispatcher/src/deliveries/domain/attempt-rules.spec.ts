import { isTooOld, mayHaveBeenSent, pauseLimitsOf, planAttempt } from './attempt-rules';

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

const rules = { attemptsMax: 2, dispatchWindowMs: 900_000 };
const found = { isReversible: true, attemptsClaimed: 0, ageMs: 0 };

describe('attempts after a crash', () => {
  it('a payment that was never sent gets one attempt while it is younger than B (A-12)', () => {
    expect(planAttempt({ ...found, ageMs: 900_000 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 1 });
    expect(planAttempt({ ...found, ageMs: 900_001 }, rules)).toEqual({ next: 'CLOSE', kind: 'CLOSED_BACKSTOP' });
  });

  it('a payment that may have been sent is posted once more, whatever its age, and no third time (A-13)', () => {
    expect(planAttempt({ ...found, attemptsClaimed: 1, ageMs: 9e9 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 2 });
    expect(planAttempt({ ...found, attemptsClaimed: 2 }, rules)).toEqual({ next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' });
  });

  it('MAX_ATTEMPTS=1 is the strict reading (A-13)', () => {
    const strict = { ...rules, attemptsMax: 1 };
    expect(planAttempt({ ...found, attemptsClaimed: 1 }, strict)).toEqual({ next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' });
    expect(planAttempt(found, strict)).toEqual({ next: 'ATTEMPT', attempt: 1 });
  });

  it('a notice is never closed for its age or its attempts (P-I13)', () => {
    expect(planAttempt({ isReversible: false, attemptsClaimed: 7, ageMs: 9e9 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 8 });
  });
});

it('a pause leaves a third of B for sending what waited, and after a rest of B nothing of it still waits (A-12, A-99)', () => {
  expect(pauseLimitsOf({ dispatchWindowMs: 900_000 })).toEqual({ durationSMax: 600, restS: 900 });
});
