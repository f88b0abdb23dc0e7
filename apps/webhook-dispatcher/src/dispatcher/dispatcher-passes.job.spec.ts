import type { Lifecycle, Logger } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import type { EndingCertificates } from '../posting/ending-certificates';
import type { Dispatcher } from './dispatcher';
import { AssignedPartitions, DispatcherPassesJob } from './dispatcher-passes.job';

describe('the passes of a dispatcher', () => {
  let calls: string[];
  let isAway: boolean;
  let drain: () => Promise<void>;
  const none = () => Promise.resolve();
  const called = (name: string) => () => Promise.resolve(void calls.push(name));

  beforeEach(() => {
    [calls, isAway] = [[], true];
  });
  afterEach(() => drain());

  const start = ({ pass = none, nextPassMs = (): number | undefined => 60_000 } = {}) => {
    const dispatcher = {
      shards: {
        heartbeatMs: 60_000,
        get nextPassMs() {
          return nextPassMs();
        },
        held: [],
        want: called('want'),
        pass,
      },
      takeover: { pass: none },
      informational: { pass: none },
      overdue: { pass: none },
      queue: { tick: none },
      pauses: {
        pass: none,
        known: () => {
          calls.push('known');
          return isAway ? Promise.reject(new Error('away')) : Promise.resolve();
        },
      },
      drain: none,
    } as unknown as Dispatcher;
    const lifecycle = { isDraining: false, onDrain: (_: string, work: () => Promise<void>) => void (drain = work) };
    const logger = { info: () => undefined, warn: () => undefined };
    const assigned = { shards: () => Promise.resolve(new Set([1])) } as unknown as AssignedPartitions;
    new DispatcherPassesJob(
      dispatcher,
      assigned,
      { pass: none } as unknown as EndingCertificates,
      lifecycle as unknown as Lifecycle,
      logger as unknown as Logger,
    ).onApplicationBootstrap();
  };

  it('take no shard before the pauses have been read, however often that fails (A-99)', async () => {
    start();
    await eventually(() => expect(calls.slice(0, 2)).toEqual(['known', 'known']));
    expect(calls).not.toContain('want');
    isAway = false;
    await eventually(() => expect(calls.at(-1)).toBe('want'));
    expect(calls.filter(name => name === 'want')).toHaveLength(1);
  });

  it('send heartbeats at the pauses that ownership names (P-T6, P-T11)', async () => {
    jest.useFakeTimers();
    isAway = false;
    const pauseMs = [1_000, 200, 200, 1_000];
    const sentAt: number[] = [];
    const startedAt = performance.now();
    start({ pass: async () => void sentAt.push(Math.round(performance.now() - startedAt)), nextPassMs: () => pauseMs.shift() });
    await jest.advanceTimersByTimeAsync(1_500);
    jest.useRealTimers();
    // The second one is that of the first assignment.
    expect(sentAt).toEqual([0, 0, 1_000, 1_200, 1_400]);
  });
});
