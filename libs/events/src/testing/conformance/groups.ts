import { eventually } from '@paycode/service-runtime/testing';
import { collect, type Collector, eventOf, gate, interleaved, keysNamed } from '../collector';
import { spawnConsumer } from '../consumer-process';
import { groupOf, type TransportHarness } from '../transport-harness';

const all = (count: number) => Array.from({ length: count }, (_, at) => at);
const assigned = (collector: Collector) => collector.subscriber.progress().assignedPartitions;

export function describeGroups(harness: () => TransportHarness): void {
  describe('consumer groups', () => {
    it('gives every group each event', async () => {
      const topic = await harness().topic(4, ['first', 'second']);
      const transport = await harness().open();
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
      const topic = await harness().topic(4);
      const publisher = await harness().open();
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
      const topic = await harness().topic(3);
      const publisher = await harness().open();
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
