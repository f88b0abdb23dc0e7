import { eventually } from '@paycode/service-runtime/testing';
import { partitionOf } from '../record/partitioning';
import { collect, type Collector, eventOf, firstArrivalsOf, gate, interleaved, keysNamed } from './collector';
import { spawnConsumer } from './consumer-process';
import { describeFailures } from './failures.conformance';
import { describeRanges } from './ranges.conformance';
import { groupOf, type TransportHarness } from './transport-harness';

export function describeFlow(harness: () => TransportHarness): void {
  describe('flow', () => {
    it('hands over at most batchMax events of one partition at a time', async () => {
      const { topic, transport } = await harness().openWithTopic(2);
      await transport.publish(interleaved(topic, keysNamed(4), 25));
      const collected = await collect(transport, { topic, batchMax: 7 });
      await eventually(() => expect(collected.events).toHaveLength(100));
      for (const batch of collected.batches) {
        expect(batch.events.length).toBeLessThanOrEqual(7);
        expect(new Set(batch.events.map(event => event.partition))).toEqual(new Set([batch.partition]));
      }
    });

    it('runs one handler at a time per partition', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      let running = 0;
      let most = 0;
      const collected = await collect(transport, { topic, batchMax: 2 }, async () => {
        most = Math.max(most, ++running);
        await new Promise(resolve => setImmediate(resolve));
        running--;
      });
      await transport.publish(interleaved(topic, ['k'], 20));
      await eventually(() => expect(collected.events).toHaveLength(20));
      expect(most).toBe(1);
    });

    it('hands nothing over while paused, keeps its partitions, and continues when resumed', async () => {
      const { topic, transport } = await harness().openWithTopic(2);
      const paused = await collect(transport, { topic });
      await eventually(() => expect(paused.subscriber.progress().assignedPartitions).toEqual([0, 1]));
      paused.subscriber.pause();
      await transport.publish(interleaved(topic, keysNamed(4), 2));
      // Another topic's arrival shows that time enough has passed for an unpaused subscriber.
      const other = await harness().topic(1);
      const unpaused = await collect(await harness().open(), { topic: other });
      await transport.publish([eventOf(other, 'k', 0)]);
      await eventually(() => expect(unpaused.events).toHaveLength(1));
      await eventually(() => expect(paused.subscriber.progress().lag).toBe(8));
      expect(paused.events).toEqual([]);
      expect(paused.subscriber.progress().assignedPartitions).toEqual([0, 1]);
      paused.subscriber.resume();
      await eventually(() => expect(paused.events).toHaveLength(8));
    });

    it('hands events over only once they have the minimum age', async () => {
      const { topic, transport } = await harness().openWithTopic(2);
      const minAgeMs = 1_500;
      const collected = await collect(transport, { topic, minAgeMs });
      await eventually(() => expect(collected.subscriber.progress().assignedPartitions).toEqual([0, 1]));
      const publishedAt = performance.now();
      await transport.publish(interleaved(topic, keysNamed(4), 2));
      await eventually(() => expect(collected.events.length).toBeGreaterThan(0));
      // A lower bound that no slow machine can break; 50 ms cover the rounding of the store's clock.
      expect(performance.now() - publishedAt).toBeGreaterThanOrEqual(minAgeMs - 50);
      await eventually(() => expect(collected.events).toHaveLength(8));
    });

    it('reports its passes, its partitions and its lag', async () => {
      const { topic, transport } = await harness().openWithTopic(3);
      await transport.publish(interleaved(topic, keysNamed(6), 2));
      const collected = await collect(transport, { topic });
      await eventually(() => expect(collected.events).toHaveLength(12));
      await eventually(() => expect(collected.subscriber.progress()).toMatchObject({ assignedPartitions: [0, 1, 2], lag: 0 }));
      await eventually(() => expect(collected.subscriber.progress().sinceLastTurnMs).toBeLessThan(1_000));
    });

    it('stops for good: a closed transport publishes and delivers nothing', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      const collected = await collect(transport, { topic });
      await transport.close();
      await expect(transport.publish([eventOf(topic, 'k', 0)])).rejects.toThrow();
      const other = await harness().open();
      await other.publish([eventOf(topic, 'k', 1)]);
      const successor = await collect(other, { topic });
      await eventually(() => expect(successor.ids()).toEqual(['k/1']));
      expect(collected.events).toEqual([]);
    });
  });
}

export function describeOrder(harness: () => TransportHarness): void {
  describe('order and completeness', () => {
    it('keeps the events of a key in the order they were published in, on the partition of the key', async () => {
      const { topic, transport } = await harness().openWithTopic(4);
      const keys = keysNamed(10);
      const collected = await collect(transport, { topic });
      for (let n = 0; n < 20; n += 5) {
        await transport.publish(keys.flatMap(key => [0, 1, 2, 3, 4].map(step => eventOf(topic, key, n + step))));
      }
      await eventually(() => expect(new Set(collected.ids()).size).toBe(200));
      for (const key of keys) expect(firstArrivalsOf(collected.events, key)).toEqual(Array.from({ length: 20 }, (_, n) => n));
      for (const event of collected.events) expect(event.partition).toBe(partitionOf(event.key, 4));
    });

    it('hands over events that were published before the group existed', async () => {
      const { topic, transport } = await harness().openWithTopic(2);
      await transport.publish(interleaved(topic, ['a', 'b'], 3));
      const collected = await collect(transport, { topic });
      await eventually(() => expect(collected.ids()).toEqual(['a/0', 'a/1', 'a/2', 'b/0', 'b/1', 'b/2']));
    });

    it('hands over the event as it was published', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const event = { ...eventOf(topic, 'k', 1), traceparent, data: { text: 'Café ☕ "\\', nested: [1, null, { deep: true }] } };
      await transport.publish([event]);
      const collected = await collect(transport, { topic });
      await eventually(() => expect(collected.events).toEqual([{ ...event, partition: 0, offset: '0' }]));
    });

    it('never skips an event while many publish at once', async () => {
      const topic = await harness().topic(4);
      const transports = await Promise.all([harness().open(), harness().open(), harness().open()]);
      const collected = await collect(transports[0], { topic });
      const publishers = keysNamed(12);
      await Promise.all(
        publishers.map(async (key, at) => {
          for (let n = 0; n < 25; n++)
            await transports[at % 3]!.publish([eventOf(topic, key, n), eventOf(topic, `${key}-other`, n)]);
        }),
      );
      await eventually(() => expect(new Set(collected.ids()).size).toBe(600));
      for (const key of publishers)
        expect(firstArrivalsOf(collected.events, key)).toEqual(Array.from({ length: 25 }, (_, n) => n));
    });

    it('carries a batch of 10,000 events', async () => {
      const { topic, transport } = await harness().openWithTopic(8);
      const collected = await collect(transport, { topic });
      const keys = keysNamed(100);
      await transport.publish(interleaved(topic, keys, 100));
      await eventually(() => expect(new Set(collected.ids()).size).toBe(10_000));
      for (const key of keys) expect(firstArrivalsOf(collected.events, key)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    });

    it('knows the number of partitions of a topic', async () => {
      const topic = await harness().topic(7);
      expect(await (await harness().open()).partitionCount(topic)).toBe(7);
    });

    it('knows where each partition ends, and how far a group has committed it (P-1.12)', async () => {
      const { topic, transport } = await harness().openWithTopic(3);
      const ends = () => Promise.all([0, 1, 2].map(partition => transport.endOf(topic, partition)));
      const committed = (group?: string) => transport.committed(topic, groupOf(topic, group));
      expect([await ends(), await committed()]).toEqual([
        [0, 0, 0],
        [null, null, null],
      ]);
      const collected = await collect(transport, { topic });
      await transport.publish(interleaved(topic, ['a', 'b'], 3));
      await eventually(() => expect(collected.events).toHaveLength(6));
      const last = collected.events.at(-1)!;
      expect((await ends())[last.partition]).toBe(Number(last.offset) + 1);
      await eventually(async () => expect((await committed()).map(offset => offset ?? 0)).toEqual(await ends()));
      expect(await committed('other')).toEqual([null, null, null]);
    });
  });
}

const all = (count: number) => Array.from({ length: count }, (_, at) => at);
const assigned = (collector: Collector) => collector.subscriber.progress().assignedPartitions;

export function describeGroups(harness: () => TransportHarness): void {
  describe('consumer groups', () => {
    it('gives every group each event', async () => {
      const { topic, transport } = await harness().openWithTopic(4, ['first', 'second']);
      const first = await collect(transport, { topic, group: 'first' });
      const second = await collect(await harness().open(), { topic, group: 'second' });
      const events = interleaved(topic, keysNamed(6), 4);
      await transport.publish(events);
      const ids = events.map(event => event.id).sort();
      await eventually(() => expect([first.ids(), second.ids()]).toEqual([ids, ids]));
    });

    it('shares the partitions evenly, each with exactly one consumer, and moves no event twice', async () => {
      const topic = await harness().topic(6);
      const first = await collect(await harness().open(), { topic });
      await eventually(() => expect(assigned(first)).toEqual(all(6)));
      const second = await collect(await harness().open(), { topic });
      await eventually(() => expect([assigned(first).length, assigned(second).length]).toEqual([3, 3]));
      expect([...assigned(first), ...assigned(second)].sort()).toEqual(all(6));
      const events = interleaved(topic, keysNamed(20), 3);
      await (await harness().open()).publish(events);
      const ids = events.map(event => event.id).sort();
      await eventually(() => expect([...first.ids(), ...second.ids()].sort()).toEqual(ids));
      expect(first.events.length).toBeGreaterThan(0);
      expect(second.events.length).toBeGreaterThan(0);
    });

    it('tells a member which partitions it gains and, before giving them up, which it loses', async () => {
      const topic = await harness().topic(4);
      const told: string[] = [];
      const onAssigned = (partitions: readonly number[]) => void told.push(`+${partitions.length}`);
      const onRevoked = (partitions: readonly number[]) => void told.push(`-${partitions.length}`);
      const collected = await collect(await harness().open(), { topic, onAssigned, onRevoked });
      await eventually(() => expect(told.at(0)).toBe('+4'));
      await collected.subscriber.stop();
      expect(told.filter(line => line.startsWith('-')).reduce((sum, line) => sum - Number(line), 0)).toBe(4);
    });

    it('lets another member continue after one has left, without loss or repetition', async () => {
      const { topic, transport: publisher } = await harness().openWithTopic(4);
      const first = await collect(await harness().open(), { topic });
      await publisher.publish(interleaved(topic, keysNamed(8), 2));
      await eventually(() => expect(first.events).toHaveLength(16));
      await first.subscriber.stop();
      const second = await collect(await harness().open(), { topic });
      await publisher.publish(interleaved(topic, ['later-1', 'later-2'], 1));
      await eventually(() => expect(second.ids()).toEqual(['later-1/0', 'later-2/0']));
    });

    it('finishes and commits the running batch when a member leaves', async () => {
      const topic = await harness().topic(1);
      const entered = gate();
      const release = gate();
      let wasAborted = false;
      const first = await collect(await harness().open(), { topic }, async ({ signal }) => {
        signal.addEventListener('abort', () => (wasAborted = true));
        entered.open();
        await release.promise;
      });
      const publisher = await harness().open();
      await publisher.publish([eventOf(topic, 'k', 0)]);
      await entered.promise;
      const stopping = first.subscriber.stop();
      await eventually(() => expect(wasAborted).toBe(true));
      release.open();
      await stopping;
      const second = await collect(await harness().open(), { topic });
      await publisher.publish([eventOf(topic, 'k', 1)]);
      await eventually(() => expect(second.ids()).toEqual(['k/1']));
    });

    it('hands the events of a killed process, not committed, to another member', async () => {
      const { topic, transport: publisher } = await harness().openWithTopic(3);
      const events = interleaved(topic, keysNamed(9), 1);
      await publisher.publish(events);
      const victim = await spawnConsumer(harness(), { topic, group: groupOf(topic) });
      await eventually(() => expect(victim.received().length).toBe(9));
      await victim.kill();
      const successor = await collect(await harness().open(), { topic });
      await eventually(() => expect(successor.ids()).toEqual(events.map(event => event.id).sort()));
    });
  });
}

/** The rules of the event port. Every implementation runs them against its real store. */
export function describeEventTransport(name: string, open: () => Promise<TransportHarness>): void {
  describe(`${name} event transport`, () => {
    let harness: TransportHarness | undefined;
    const current = () => {
      if (!harness) throw new Error('the harness is not open');
      return harness;
    };
    beforeAll(async () => {
      harness = await open();
    });
    afterEach(() => harness?.closeTransports());
    afterAll(() => harness?.close());

    describeOrder(current);
    describeGroups(current);
    describeFailures(current);
    describeFlow(current);
    describeRanges(current);
  });
}
