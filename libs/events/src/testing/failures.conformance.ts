import { deadLetterTopic } from '@paycode/dto';
import { eventually } from '@paycode/service-runtime/testing';
import type { Subscription } from '../event-transport';
import { partitionOf } from '../record/partitioning';
import { collect, eventOf, interleaved, keysNamed, numbersOf } from './collector';
import { groupOf, type TransportHarness } from './transport-harness';

/** Two keys on different partitions of a topic with two. */
function keysApart(): [string, string] {
  const keys = keysNamed(50);
  return [keys.find(key => partitionOf(key, 2) === 0)!, keys.find(key => partitionOf(key, 2) === 1)!];
}

export function describeFailures(harness: () => TransportHarness): void {
  describe('failures', () => {
    it('hands a batch over again, in order, until the handler takes it', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      let rejections = 0;
      await transport.publish(interleaved(topic, ['k'], 5));
      const collected = await collect(transport, { topic }, () => {
        if (++rejections <= 2) throw new Error('not now');
      });
      await eventually(() => expect(numbersOf(collected.events, 'k')).toEqual([0, 1, 2, 3, 4]));
      expect(rejections).toBeGreaterThanOrEqual(3);
    });

    it('continues with the other partitions while one fails', async () => {
      const { topic, transport } = await harness().openWithTopic(2);
      const [stuck, free] = keysApart();
      let isHealed = false;
      const collected = await collect(transport, { topic }, batch => {
        if (batch.partition === 0 && !isHealed) throw new Error('partition 0 fails');
      });
      await transport.publish(interleaved(topic, [stuck, free], 10));
      await eventually(() => expect(numbersOf(collected.events, free)).toHaveLength(10));
      await transport.publish([eventOf(topic, free, 10)]);
      await eventually(() => expect(numbersOf(collected.events, free)).toHaveLength(11));
      expect(numbersOf(collected.events, stuck)).toEqual([]);
      isHealed = true;
      await eventually(() => expect(numbersOf(collected.events, stuck)).toHaveLength(10));
    });

    it('parks a rejected event with its reason and continues with the others', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      const told: string[] = [];
      const onParked: Subscription['onParked'] = async (partition, letters) =>
        void told.push(
          ...letters.map(({ record, reason }) => `${partition}: ${Buffer.from(record.raw.key!).toString()}, ${reason}`),
        );
      const collected = await collect(transport, { topic, onParked }, batch => {
        for (const event of batch.events) if (event.id === 'k/2') batch.reject(event, 'unknown merchant');
      });
      const events = interleaved(topic, ['k'], 5);
      await transport.publish(events);
      const parked = await collect(transport, { topic: deadLetterTopic(topic, groupOf(topic)), group: 'operator' });
      await eventually(() => expect(parked.ids()).toEqual(['k/2']));
      expect(parked.events[0]).toMatchObject({ key: 'k', data: { n: 2 }, dlqReason: 'unknown merchant' });
      expect(told).toEqual(['0: k, unknown merchant']);
      await transport.publish([eventOf(topic, 'k', 5)]);
      await eventually(() => expect(collected.ids()).toContain('k/5'));
      await eventually(() => expect(collected.subscriber.progress().lag).toBe(0));
    });

    it('parks the one event whose data its handler cannot take, and hands all the others over (T-29)', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      await transport.publish(interleaved(topic, ['k'], 20));
      const refusal = Object.assign(new Error('invalid byte sequence: 27820000001'), { code: '22021' });
      const collected = await collect(transport, { topic }, batch => {
        if (batch.events.some(event => event.id === 'k/7')) throw refusal;
      });
      const others = interleaved(topic, ['k'], 20).flatMap(({ id }) => (id === 'k/7' ? [] : [id]));
      await eventually(() => expect(collected.events.map(event => event.id)).toEqual(others));
      const parked = await collect(transport, { topic: deadLetterTopic(topic, groupOf(topic)), group: 'operator' });
      await eventually(() => expect(parked.ids()).toEqual(['k/7']));
      expect(parked.events[0]!.dlqReason).toBe('refused by the database, SQLSTATE 22021');
      await eventually(() => expect(collected.subscriber.progress().lag).toBe(0));
    });

    it('parks nothing of a batch that comes again', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      let tries = 0;
      await transport.publish(interleaved(topic, ['k'], 3));
      const collected = await collect(transport, { topic }, batch => {
        batch.reject(batch.events[0]!, `try ${++tries}`);
        if (tries === 1) throw new Error('not now');
      });
      await eventually(() => expect(collected.events.length).toBeGreaterThan(0));
      const parked = await collect(transport, { topic: deadLetterTopic(topic, groupOf(topic)), group: 'operator' });
      await eventually(() => expect(parked.events.map(event => event.dlqReason)).toEqual(['try 2']));
    });

    it('parks only the record that cannot be decoded, and continues', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      await transport.publish([eventOf(topic, 'k', 0)]);
      await harness().plantUndecodable(topic, 'k');
      await transport.publish([eventOf(topic, 'k', 1)]);
      const collected = await collect(transport, { topic });
      await eventually(() => expect(collected.ids()).toEqual(['k/0', 'k/1']));
      await eventually(async () => {
        const parked = await harness().rawRecords(deadLetterTopic(topic, groupOf(topic)));
        expect(parked).toEqual([{ key: 'k', value: 'not json {', reason: 'value is not JSON' }]);
      });
    });

    it('rejects a publish that cannot be made durable, and recovers by itself', async () => {
      const topic = await harness().topic(1);
      const { transport, sever, restore } = await harness().openSeverable();
      try {
        const collected = await collect(transport, { topic });
        await transport.publish([eventOf(topic, 'k', 0)]);
        await eventually(() => expect(collected.ids()).toEqual(['k/0']));
        sever();
        await expect(transport.publish([eventOf(topic, 'k', 1)])).rejects.toThrow();
        await restore();
        await eventually(() => transport.publish([eventOf(topic, 'k', 2)]));
        await eventually(() => expect(collected.ids()).toContain('k/2'));
      } finally {
        await transport.close();
      }
    });

    it('refuses to publish to a topic that nobody defined', async () => {
      const transport = await harness().open();
      await expect(transport.publish([eventOf('paycode.nobody.knows.v1', 'k', 0)])).rejects.toThrow();
    });

    it('refuses an event too large for the log', async () => {
      const { topic, transport } = await harness().openWithTopic(1);
      const event = { ...eventOf(topic, 'k', 0), data: 'x'.repeat(300_000) };
      await expect(transport.publish([event])).rejects.toThrow(/bytes/);
    });
  });
}
