import { planAttempt } from './attempt-plan';

const rules = { attemptsMax: 2, dispatchWindowMs: 900_000 };
const found = { isReversible: true, attemptsClaimed: 0, ageMs: 0 };

describe('attempts after a crash', () => {
  it('A-12: what was never sent gets one attempt while it is younger than B', () => {
    expect(planAttempt({ ...found, ageMs: 900_000 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 1 });
    expect(planAttempt({ ...found, ageMs: 900_001 }, rules)).toEqual({ next: 'CLOSE', kind: 'CLOSED_BACKSTOP' });
  });

  it('A-13: what may have been sent is posted once more, whatever its age, and no third time', () => {
    expect(planAttempt({ ...found, attemptsClaimed: 1, ageMs: 9e9 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 2 });
    expect(planAttempt({ ...found, attemptsClaimed: 2 }, rules)).toEqual({ next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' });
  });

  it('A-13: MAX_ATTEMPTS=1 is the strict reading', () => {
    const strict = { ...rules, attemptsMax: 1 };
    expect(planAttempt({ ...found, attemptsClaimed: 1 }, strict)).toEqual({ next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' });
    expect(planAttempt(found, strict)).toEqual({ next: 'ATTEMPT', attempt: 1 });
  });

  it('I13: a notice is never closed for its age or its attempts', () => {
    expect(planAttempt({ isReversible: false, attemptsClaimed: 7, ageMs: 9e9 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 8 });
  });
});
