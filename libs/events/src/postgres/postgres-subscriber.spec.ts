import { quietLog } from '../testing/transport-harness';
import type { EventLog } from './event-log';
import type { GroupMembership, Standing } from './group-membership';
import { PostgresSubscriber } from './postgres-subscriber';

const heartbeatMs = 1_000;

describe('heartbeats of a group member', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const standing: Standing = { others: 0, share: 0, owned: new Map(), dead: [], end: 7n };

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

  it('come each third time from a member that is alone and whose topic stands still', async () => {
    expect(await heartbeats(() => standing)).toEqual([0, 1, 4, 7, 10]);
  });

  it.each<[string, (second: number) => Standing | undefined]>([
    ['there are others, whose death it has to notice', () => ({ ...standing, others: 1 })],
    ['events come', second => ({ ...standing, end: BigInt(second) })],
    ['a partition of its share is not its own yet', () => ({ ...standing, share: 1 })],
    ['others have ended its membership', () => undefined],
  ])('come each time while %s', async (_why, standingAt) => {
    expect(await heartbeats(standingAt)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('are sent at once when the group changes, and each time from then on if somebody joined', async () => {
    const joinsAt = 2;
    const sent = await heartbeats(second => ({ ...standing, others: second < joinsAt ? 0 : 1 }), joinsAt);
    expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});
