import { quietLog } from '../testing/transport-harness';
import type { EventLog } from './event-log';
import type { GroupMembership, Standing } from './group-membership';
import { PostgresSubscriber } from './postgres-subscriber';

const heartbeatMs = 1_000;

describe('heartbeats of a group member', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const standing: Standing = { share: 0, owned: new Map(), dead: [], end: 7n };

  /** Seconds of the heartbeats in the first ten; `standingAt` answers the heartbeat of a second. */
  const heartbeats = async (standingAt: (second: number) => Standing | undefined, changedAt?: number) => {
    const sent: number[] = [];
    const startedAt = performance.now();
    const second = () => Math.round((performance.now() - startedAt) / 1_000);
    const membership = {
      partitions: 4,
      join: () => Promise.resolve(),
      leave: () => Promise.resolve(),
      claim: () => Promise.resolve([]),
      heartbeat: () => {
        sent.push(second());
        return Promise.resolve(standingAt(second()));
      },
    };
    const subscriber = new PostgresSubscriber({
      eventLog: { read: () => Promise.resolve(undefined) } as unknown as EventLog,
      topicId: 1,
      subscription: { topic: 't', group: 'g', onBatch: () => Promise.resolve() },
      membership: membership as unknown as GroupMembership,
      pollMs: () => Infinity,
      heartbeatMs,
      leaseMs: 10_000,
      log: quietLog,
      park: () => Promise.resolve(),
      onStopped: () => undefined,
    });
    await subscriber.start();
    for (let at = 1; at <= 10; at++) {
      await jest.advanceTimersByTimeAsync(1_000);
      if (at === changedAt) subscriber.onGroupChanged();
    }
    await subscriber.stop();
    return sent;
  };

  it('come at one interval, whether others are in the group and events come or not', async () => {
    const everySecond = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(await heartbeats(() => standing)).toEqual(everySecond);
    expect(await heartbeats(second => ({ ...standing, end: BigInt(second) }))).toEqual(everySecond);
  });

  it('are sent at once when the group changes', async () => {
    expect(await heartbeats(() => standing, 2)).toEqual([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10].slice(0, 12));
  });
});
