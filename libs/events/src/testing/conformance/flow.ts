import { eventually } from '@paycode/service-runtime/testing';
import { collect, eventOf, interleaved, keysNamed } from '../collector';
import type { TransportHarness } from '../transport-harness';

export function describeFlow(harness: () => TransportHarness): void {
  describe('flow', () => {
    it('hands over at most batchMax events of one partition at a time', async () => {
      const topic = await harness().topic(2);
      const transport = await harness().open();
      await transport.publish(interleaved(topic, keysNamed(4), 25));
      const collected = await collect(transport, { topic, batchMax: 7 });
      await eventually(() => expect(collected.events).toHaveLength(100));
      for (const batch of collected.batches) {
        expect(batch.events.length).toBeLessThanOrEqual(7);
        expect(new Set(batch.events.map(event => event.partition))).toEqual(new Set([batch.partition]));
      }
    });

    it('runs one handler at a time per partition', async () => {
      const topic = await harness().topic(1);
      const transport = await harness().open();
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
      const topic = await harness().topic(2);
      const transport = await harness().open();
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
      const topic = await harness().topic(2);
      const transport = await harness().open();
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
      const topic = await harness().topic(3);
      const transport = await harness().open();
      await transport.publish(interleaved(topic, keysNamed(6), 2));
      const collected = await collect(transport, { topic });
      await eventually(() => expect(collected.events).toHaveLength(12));
      await eventually(() => expect(collected.subscriber.progress()).toMatchObject({ assignedPartitions: [0, 1, 2], lag: 0 }));
      await eventually(() => expect(collected.subscriber.progress().sinceLastTurnMs).toBeLessThan(1_000));
    });

    it('stops for good: a closed transport publishes and delivers nothing', async () => {
      const topic = await harness().topic(1);
      const transport = await harness().open();
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
