import { RouteLease } from './route-lease';

describe('route lease', () => {
  afterEach(() => jest.useRealTimers());

  it.each([10, 1_000, 10_000])(
    'the wait is at least a lease of %i ms by the clock of a slower dispatcher (R-4.3-10)',
    async leaseMs => {
      jest.useFakeTimers();
      let isOver = false;
      const wait = new RouteLease(leaseMs).runsOut().then(() => (isOver = true));
      // Timers may fire a millisecond early, and two clocks may differ by a percent in rate.
      await jest.advanceTimersByTimeAsync(leaseMs * 1.01 + 1);
      expect(isOver).toBe(false);
      await jest.advanceTimersByTimeAsync(leaseMs * 0.01 + 3);
      await wait;
      expect(isOver).toBe(true);
    },
  );
});
