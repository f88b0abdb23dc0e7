import { eventually } from '@paycode/service-runtime/testing';
import { OwnedPartitions } from '../delivery/owned-partitions';
import type { Subscription } from '../event-transport';
import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf, gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import type { EventLog } from './event-log';
import { LogPoller } from './log-poller';
import type { GroupMembership, Standing } from './group-membership';
import { PostgresSubscriber } from './postgres-subscriber';

type Read = EventLog['read'];

/**
 * A log, and a poller that nothing but a wake makes read it within an hour. A record stands in partition 0, or where `partitionOf` says;
 * the group has committed each partition up to its position in `from`.
 */
function polled(
  onBatch: Subscription['onBatch'],
  { from = [0n], partitionOf = () => 0 }: { from?: bigint[]; partitionOf?: (n: number) => number } = {},
) {
  const ids: number[] = [];
  const reads: number[] = [];
  let waits = 0;
  const read: Read = async (_topic, position, limit) => {
    reads.push(limit);
    const after = Number(position);
    const found = ids.slice(after, after + limit);
    if (found.length === 0) return undefined;
    const publishedAtMs = performance.now();
    const records = found.map((n, at) => ({
      partition: partitionOf(n),
      raw: encodeCloudEvent(eventOf('t', 'k', n)),
      offset: BigInt(after + at),
      publishedAtMs,
    }));
    return { records, to: BigInt(after + found.length), isCut: after + found.length < ids.length };
  };
  const subscription: Subscription = { topic: 't', group: 'g', batchMax: 10, onBatch };
  const edge = {
    park: async () => undefined,
    commit: async () => true,
    onRoom: (partition: number) => poller.onRoom(partition),
  };
  const owned = new OwnedPartitions({ subscription, edge, isPaused: () => false, log: quietLog });
  const eventLog = { read } as unknown as EventLog;
  const pollMs = () => (waits++, 3_600_000);
  const poller = new LogPoller({ eventLog, topicId: 1, subscription, owned, pollMs, log: quietLog });
  owned.take(from.map((nextOffset, partition) => ({ partition, nextOffset })));
  return { poller, owned, reads, waits: () => waits, publish: (...numbers: number[]) => void ids.push(...numbers) };
}

describe('LogPoller', () => {
  it('reads when it is told that an event was published, and never again after it found all there was', async () => {
    const handled: string[] = [];
    const onBatch: Subscription['onBatch'] = async ({ events }) => void handled.push(...events.map(({ id }) => id));
    const { poller, owned, reads, waits, publish } = polled(onBatch);
    const running = poller.run();
    await eventually(() => expect(waits()).toBe(1));
    publish(0, 1);
    poller.onPublished();
    await eventually(() => expect(handled).toEqual(['k/0', 'k/1']));
    await eventually(() => expect(waits()).toBe(2));
    expect(reads).toHaveLength(2);
    poller.stop();
    await Promise.all([running, owned.giveUp([0])]);
  });

  it('reads a partition that was too full when it was told, as soon as its buffer has room', async () => {
    const handled: string[] = [];
    const slow = gate();
    const { poller, owned, reads, publish } = polled(async ({ events }) => {
      await slow.promise;
      handled.push(...events.map(({ id }) => id));
    });
    publish(0, 1, 2, 3, 4, 5);
    const running = poller.run();
    await eventually(() => expect(owned.get(0)?.buffered).toBe(6));
    publish(6);
    const turnAt = poller.lastTurnAt;
    poller.onPublished();
    await eventually(() => expect(poller.lastTurnAt).toBeGreaterThan(turnAt));
    expect(reads).toHaveLength(1);
    slow.open();
    await eventually(() => expect(handled).toHaveLength(7));
    poller.stop();
    await Promise.all([running, owned.giveUp([0])]);
  });

  it('reads apart for a partition that is behind, passes over nothing of it, and the others go on (P-I10)', async () => {
    const handled: string[] = [];
    const stuck = gate();
    const onBatch: Subscription['onBatch'] = async ({ partition, events }) => {
      if (partition === 1) await stuck.promise;
      handled.push(...events.map(({ id }) => id));
    };
    const { poller, owned, publish } = polled(onBatch, { from: [30n, 0n], partitionOf: n => (n + 1) % 2 });
    const numbers = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
    publish(...numbers(0, 40));
    const running = poller.run();
    // Partition 1 holds as many as it may, all from before what the other one reads.
    await eventually(() => expect(owned.get(1)?.buffered).toBe(15));
    publish(...numbers(40, 6));
    poller.onPublished();
    const odd = numbers(0, 46).filter(n => n % 2 === 1 && n > 30);
    await eventually(() => expect(handled).toEqual(odd.map(n => `k/${n}`)));
    stuck.open();
    const even = numbers(0, 46).filter(n => n % 2 === 0);
    await eventually(() => expect(handled.length).toBeGreaterThanOrEqual(odd.length + even.length));
    expect(handled.slice(odd.length)).toEqual(even.map(n => `k/${n}`));
    poller.stop();
    await Promise.all([running, owned.giveUp([0, 1])]);
  });
});

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
