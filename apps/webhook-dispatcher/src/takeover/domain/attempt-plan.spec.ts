import { planAttempt } from './attempt-plan';

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
