import type { Lifecycle, Logger } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import type { Dispatcher } from '../assemble-dispatcher';
import { AssignedPartitions } from '../assigned-partitions';
import { DispatcherPassesJob } from './dispatcher-passes.job';

const hourMs = 3_600_000;

describe('the passes of a dispatcher', () => {
  let calls: string[];
  let isAway: boolean;
  let state: { isAtRest: boolean; isAlone: boolean };
  let news: () => void;
  let drain: () => Promise<void>;
  const none = () => Promise.resolve();
  const called = (name: string) => () => Promise.resolve(void calls.push(name));
  const countOf = (name: string) => calls.filter(each => each === name).length;

  beforeEach(() => {
    [calls, isAway, state] = [[], true, { isAtRest: false, isAlone: false }];
  });
  afterEach(() => drain());

  const start = (shardsPass: () => Promise<void> = called('shards')) => {
    const dispatcher = {
      shards: {
        heartbeatMs: 60_000,
        nextPassMs: 60_000,
        restingPassMs: hourMs,
        held: [],
        want: called('want'),
        pass: shardsPass,
        onNews: (listener: () => void) => (news = listener),
        get isAlone() {
          return state.isAlone;
        },
      },
      takeover: {
        pass: called('recovery'),
        get isAtRest() {
          return state.isAtRest;
        },
      },
      informational: { pass: called('notices') },
      overdue: { pass: none },
      queue: { tick: none },
      pauses: {
        pass: called('pauses'),
        known: () => {
          calls.push('known');
          return isAway ? Promise.reject(new Error('away')) : Promise.resolve();
        },
      },
      drain: none,
    } as unknown as Dispatcher;
    const lifecycle = { isDraining: false, onDrain: (_: string, work: () => Promise<void>) => void (drain = work) };
    const logger = { info: () => undefined, warn: () => undefined };
    const assigned = {
      shards: () => {
        calls.push('assignment');
        return Promise.resolve(new Set([1]));
      },
    } as unknown as AssignedPartitions;
    new DispatcherPassesJob(
      dispatcher,
      assigned,
      lifecycle as unknown as Lifecycle,
      logger as unknown as Logger,
    ).onApplicationBootstrap();
  };

  it('take no shard before the pauses have been read, however often that fails (A-99)', async () => {
    start();
    const relevant = () => calls.filter(name => name === 'known' || name === 'want');
    await eventually(() => expect(relevant().slice(0, 2)).toEqual(['known', 'known']));
    expect(calls).not.toContain('want');
    isAway = false;
    await eventually(() => expect(relevant().at(-1)).toBe('want'));
    expect(countOf('want')).toBe(1);
  });

  describe('with a clock of the test', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());
    const elapse = (ms: number) => jest.advanceTimersByTimeAsync(ms);

    it('are few at rest, and without others the partitions are looked at once a second', async () => {
      isAway = false;
      state = { isAtRest: true, isAlone: true };
      start();
      await elapse(2_000);
      calls.length = 0;
      await elapse(60_000);
      const counts = Object.fromEntries(
        ['recovery', 'assignment', 'pauses', 'notices', 'shards'].map(name => [name, countOf(name)]),
      );
      expect(counts).toEqual({ recovery: 60, assignment: 60, pauses: 12, notices: 12, shards: 0 });
    });

    it('of one that rests among others look at partitions and pauses as often as ever (A-99)', async () => {
      isAway = false;
      state = { isAtRest: true, isAlone: false };
      start();
      await elapse(2_000);
      calls.length = 0;
      await elapse(60_000);
      expect(countOf('assignment')).toBeGreaterThan(500);
      expect(countOf('pauses')).toBe(60);
    });

    it('begin again with a shard: what its former owner left is taken over at once (P-1.2-8)', async () => {
      isAway = false;
      state = { isAtRest: true, isAlone: true };
      let gained = 0;
      start(async () => void (state.isAtRest = gained === 0));
      await elapse(10_100);
      calls.length = 0;
      gained = 1;
      news();
      await elapse(1);
      expect(countOf('recovery')).toBe(1);
    });

    it('beat at once when another replica registers, and each second once work has come (P-T6)', async () => {
      isAway = false;
      state = { isAtRest: true, isAlone: true };
      start();
      await elapse(10_000);
      calls.length = 0;
      news();
      await elapse(1);
      expect(countOf('shards')).toBe(1);
      state.isAtRest = false;
      await elapse(1_000);
      expect(countOf('shards')).toBe(2);
      await elapse(60_000);
      expect(countOf('shards')).toBe(3);
    });

    it('read the pauses when the replica is no longer alone, because others may be asked for one (A-99)', async () => {
      isAway = false;
      state = { isAtRest: true, isAlone: true };
      let others = 0;
      start(async () => void (state.isAlone = others === 0));
      await elapse(10_100);
      calls.length = 0;
      others = 1;
      news();
      await elapse(1);
      expect(countOf('pauses')).toBe(1);
    });
  });
});
