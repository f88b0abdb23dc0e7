import { SteadyAge } from './steady-age';

const minute = 60_000;

/** proves: P-T2, A-12 */
describe('the age of a payment by a clock that may be set', () => {
  let ages: SteadyAge;
  /** The store's clock less that of this process. */
  let aheadMs: number;
  beforeEach(() => ([ages, aheadMs] = [new SteadyAge(), 1_700_000_000_000]));
  const look = (nowMs: number) => ages.look(nowMs + aheadMs, { fromMs: nowMs - 2, toMs: nowMs + 3 });

  it('is what the clock says, as long as it runs, and after it was set back', () => {
    for (let at = 0; at < 10; at++) look(at * minute);
    expect(ages.of(20 * minute, 10 * minute)).toBe(20 * minute);
    aheadMs -= 60 * minute;
    look(10 * minute);
    expect(ages.of(5 * minute, 10 * minute)).toBe(5 * minute);
  });

  it('leaves out what the clock was set forward, and goes on from there (A-12)', () => {
    look(0);
    aheadMs += 15 * minute;
    look(minute);
    // Received two minutes before this process began, and three before the step.
    const [before, after] = [ages.of(18 * minute, minute), ages.of(30 * minute, 13 * minute)];
    expect([Math.round(before / minute), Math.round(after / minute)]).toEqual([3, 15]);
    // Received after the step.
    expect(ages.of(minute, 3 * minute)).toBe(minute);
  });

  it('leaves out every step of several, and the backstop is reached all the same', () => {
    for (let at = 0; at < 30; at++) {
      aheadMs += at > 0 && at % 10 === 0 ? 60 * minute : 0;
      look(at * minute);
    }
    expect(Math.round(ages.of((120 + 29) * minute, 29 * minute) / minute)).toBe(29);
    expect(Math.round(ages.of((60 + 14) * minute, 29 * minute) / minute)).toBe(14);
  });
});
