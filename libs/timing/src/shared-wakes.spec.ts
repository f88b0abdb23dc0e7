import { afterTogether } from './shared-wakes';

describe('waits of a process', () => {
  let isOver: boolean;
  beforeEach(() => {
    isOver = false;
    jest.useFakeTimers();
  });
  afterEach(() => {
    isOver = true;
    elapse(10_000);
    jest.useRealTimers();
  });
  const elapse = (ms: number) => jest.advanceTimersByTime(ms);

  /** Instants at which each repeated wait ended. */
  const repeat = (delayMs: number, workMs: number) => {
    const endedAt: number[] = [];
    const again = () =>
      afterTogether(delayMs, () => {
        endedAt.push(performance.now());
        if (!isOver) setTimeout(again, workMs);
      });
    again();
    return endedAt;
  };

  it('that repeat every second wake it once a second, whenever they began and however long their work takes', () => {
    const first = repeat(1_000, 3);
    elapse(130);
    const second = repeat(1_000, 12);
    elapse(10_000);
    const instants = new Set([...first, ...second].filter(at => at > 2_000));
    expect([...first, ...second].filter(at => at > 2_000)).toHaveLength(2 * instants.size);
    expect(instants.size).toBe(8);
  });

  it('end at most a quarter of a second early and never late', () => {
    for (const delayMs of [1_000, 1_001, 1_249, 1_250, 5_010]) {
      elapse(77);
      const begunAt = performance.now();
      const waited: number[] = [];
      afterTogether(delayMs, () => waited.push(performance.now() - begunAt));
      elapse(10_000);
      expect(waited).toHaveLength(1);
      expect(waited[0]).toBeLessThanOrEqual(delayMs + 1);
      expect(waited[0]).toBeGreaterThan(delayMs - 251);
    }
  });

  it('that a timer ended a little early are not shorter the next time', () => {
    const waited = jest.fn();
    afterTogether(1_000, () => {
      jest.spyOn(performance, 'now').mockReturnValueOnce(performance.now() - 3);
      afterTogether(1_000, waited);
    });
    while (jest.getTimerCount() > 0 && !jest.isMockFunction(performance.now)) elapse(1);
    jest.restoreAllMocks();
    elapse(990);
    expect(waited).not.toHaveBeenCalled();
    elapse(15);
    expect(waited).toHaveBeenCalledTimes(1);
  });

  it('of less than a second end when they say', () => {
    const waited = jest.fn();
    afterTogether(37, waited);
    elapse(36);
    expect(waited).not.toHaveBeenCalled();
    elapse(1);
    expect(waited).toHaveBeenCalledTimes(1);
  });

  it('that are given up neither run nor keep the process from ending; the others of the instant run', () => {
    const [left, kept] = [jest.fn(), jest.fn()];
    const giveUp = afterTogether(1_000, left);
    afterTogether(1_000, kept);
    giveUp();
    giveUp();
    elapse(1_000);
    expect([left.mock.calls.length, kept.mock.calls.length]).toEqual([0, 1]);
    afterTogether(1_000, left)();
    expect(jest.getTimerCount()).toBe(0);
  });
});
