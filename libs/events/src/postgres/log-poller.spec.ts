import { eventually } from '@paycode/service-runtime/testing';
import { OwnedPartitions } from '../delivery/owned-partitions';
import { PartitionConsumer } from '../delivery/partition-consumer';
import type { Subscription } from '../event-transport';
import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf, gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import type { EventLog } from './event-log';
import { LogPoller } from './log-poller';

type Read = EventLog['read'];

/** A log with one partition, and a poller that nothing but a wake makes read it within an hour. */
function polled(onBatch: Subscription['onBatch']) {
  const ids: number[] = [];
  const reads: number[] = [];
  const read: Read = async (_topic, from, limit) => {
    reads.push(from.length);
    const after = Number(from[0]!.position);
    const found = ids.slice(after, after + limit);
    if (found.length === 0) return new Map();
    const publishedAtMs = performance.now();
    return new Map([
      [0, found.map((n, at) => ({ raw: encodeCloudEvent(eventOf('t', 'k', n)), offset: BigInt(after + at), publishedAtMs }))],
    ]);
  };
  const subscription: Subscription = { topic: 't', group: 'g', batchMax: 10, onBatch };
  const edge = {
    park: async () => undefined,
    commit: async () => true,
    onRoom: (partition: number) => poller.onRoom(partition),
  };
  const consumerFor = (assigned: { partition: number; nextOffset: bigint }) =>
    new PartitionConsumer({ ...assigned, subscription, edge, isPaused: () => false, log: quietLog });
  const owned = new OwnedPartitions({ subscription, consumerFor, log: quietLog });
  const eventLog = { read } as unknown as EventLog;
  const poller = new LogPoller({ eventLog, topicId: 1, subscription, owned, pollMs: () => 3_600_000, log: quietLog });
  owned.take([{ partition: 0, nextOffset: 0n }]);
  return { poller, owned, reads, publish: (...numbers: number[]) => void ids.push(...numbers) };
}

describe('LogPoller', () => {
  it('reads when it is told that an event was published, and is silent until then', async () => {
    const handled: string[] = [];
    const { poller, owned, reads, publish } = polled(async ({ events }) => void handled.push(...events.map(({ id }) => id)));
    const running = poller.run();
    await eventually(() => expect(reads).toHaveLength(1));
    publish(0, 1);
    poller.onPublished();
    await eventually(() => expect(handled).toEqual(['k/0', 'k/1']));
    // What it found, and the look that found nothing more.
    await eventually(() => expect(reads).toHaveLength(3));
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
});
