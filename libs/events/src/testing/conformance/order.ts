import { eventually } from '@paycode/service-runtime/testing';
import { partitionOf } from '../../record/partitioning';
import { collect, eventOf, firstArrivalsOf, interleaved, keysNamed } from '../collector';
import type { TransportHarness } from '../transport-harness';

export function describeOrder(harness: () => TransportHarness): void {
  describe('order and completeness', () => {
    it('keeps the events of a key in the order they were published in, on the partition of the key', async () => {
      const topic = await harness().topic(4);
      const transport = await harness().open();
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
      const topic = await harness().topic(2);
      const transport = await harness().open();
      await transport.publish(interleaved(topic, ['a', 'b'], 3));
      const collected = await collect(transport, { topic });
      await eventually(() => expect(collected.ids()).toEqual(['a/0', 'a/1', 'a/2', 'b/0', 'b/1', 'b/2']));
    });

    it('hands over the event as it was published', async () => {
      const topic = await harness().topic(1);
      const transport = await harness().open();
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
      const topic = await harness().topic(8);
      const transport = await harness().open();
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
  });
}
