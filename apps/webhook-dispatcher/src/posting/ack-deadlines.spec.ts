import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { AckDeadlines } from './ack-deadlines';

describe('deadlines of requests (P-T3)', () => {
  let clock: ManualClock;
  let deadlines: AckDeadlines;
  let expired: string[];
  const watch = (dueMs: number, name: string) => deadlines.watch(dueMs, () => expired.push(name));

  beforeEach(() => {
    clock = new ManualClock();
    deadlines = new AckDeadlines(clock);
    expired = [];
  });

  it('fire in the order of their instants, not a millisecond early', async () => {
    watch(300, 'c');
    watch(100, 'a');
    watch(200, 'b');
    await clock.advance(99);
    expect(expired).toEqual([]);
    await clock.advance(1);
    expect(expired).toEqual(['a']);
    await clock.advance(200);
    expect(expired).toEqual(['a', 'b', 'c']);
  });

  it('a cancelled deadline never fires and holds no memory', async () => {
    const cancel = watch(100, 'a');
    cancel();
    expect(deadlines.size).toBe(0);
    await clock.advance(1_000);
    expect(expired).toEqual([]);
  });

  it('one that is cancelled leaves the others as they are', async () => {
    const cancel = watch(100, 'a');
    watch(200, 'b');
    cancel();
    await clock.advance(200);
    expect(expired).toEqual(['b']);
  });

  it('regression: after the last cancellation no timer is left, which would keep an idle process alive', async () => {
    watch(100, 'connected');
    const cancel = watch(60_000, 'answered');
    await clock.advance(100);
    expect(clock.timerCount).toBe(1);
    cancel();
    expect(clock.timerCount).toBe(0);
    watch(300, 'next');
    await clock.advance(200);
    expect(expired).toEqual(['connected', 'next']);
  });

  it('a deadline counts only after two poll phases of the event loop, in which the answer may still be read (A-07, F-20)', async () => {
    clock.holdsPollTurns = true;
    const cancelFirst = watch(100, 'answered in the first turn');
    const cancelSecond = watch(100, 'answered in the second turn');
    watch(100, 'silent');
    await clock.advance(100);
    cancelFirst();
    await clock.poll();
    expect(expired).toEqual([]);
    cancelSecond();
    await clock.poll();
    expect(expired).toEqual(['silent']);
  });

  it('one timer serves all; an earlier deadline brings it forward', async () => {
    const after = jest.spyOn(clock, 'after');
    for (const dueMs of [1_000, 1_000, 2_000]) watch(dueMs, 'late');
    expect(after).toHaveBeenCalledTimes(1);
    watch(10, 'early');
    expect(clock.timerCount).toBe(1);
    await clock.advance(10);
    expect(expired).toEqual(['early']);
    await settled();
    expect(clock.timerCount).toBe(1);
  });
});
