import type { Consumer, EachBatchPayload } from 'kafkajs';
import { OwnedPartitions } from '../delivery/owned-partitions';
import { eventually } from '@paycode/service-runtime/testing';
import type { Subscription } from '../event-transport';
import { encodeCloudEvent } from '../record/cloud-event';
import { eventOf, gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { KafkaIntake } from './kafka-intake';

function payload(first: number, count: number, resolveOffset: (offset: string) => void): EachBatchPayload {
  const messages = Array.from({ length: count }, (_, at) => {
    const { key, value, headers } = encodeCloudEvent(eventOf('t', 'k', first + at));
    return { key: Buffer.from(key), value, headers, offset: String(first + at), timestamp: String(Date.now()) };
  });
  const batch = {
    partition: 0,
    messages,
    fetchedOffset: String(first),
    highWatermark: '100',
    lastOffset: () => String(first + count - 1),
  };
  return { batch, resolveOffset } as unknown as EachBatchPayload;
}

describe('KafkaIntake', () => {
  const handled: string[] = [];
  const errors: string[] = [];
  let hold: Promise<void>;
  let owned: OwnedPartitions;
  let intake: KafkaIntake;
  let resolved: string[];
  let consumer: { seek: jest.Mock; pause: jest.Mock; resume: jest.Mock };

  beforeEach(() => {
    handled.length = 0;
    errors.length = 0;
    hold = Promise.resolve();
    resolved = [];
    consumer = { seek: jest.fn(), pause: jest.fn(), resume: jest.fn() };
    const subscription: Subscription = {
      topic: 't',
      group: 'g',
      batchMax: 10,
      onBatch: async ({ events }) => {
        await hold;
        handled.push(...events.map(({ offset }) => offset));
      },
    };
    const edge = {
      park: async () => undefined,
      commit: async () => true,
      onRoom: (partition: number) => intake.onRoom(partition, consumer as unknown as Consumer),
    };
    owned = new OwnedPartitions({ subscription, edge, isPaused: () => false, log: quietLog });
    const log = { ...quietLog, error: (_fields: unknown, message: string) => void errors.push(message) };
    intake = new KafkaIntake({ topic: 't', batchMax: 10, owned, signal: new AbortController().signal, log });
    owned.take([{ partition: 0, nextOffset: 5n }]);
  });
  afterEach(() => owned.giveUp([0]));

  const take = (first: number, count: number) =>
    intake.take(
      payload(first, count, offset => resolved.push(offset)),
      consumer as unknown as Consumer,
    );

  it('refuses a late fetch of an older assignment, which would skip uncommitted events, and fetches again', async () => {
    await take(8, 2);
    expect(consumer.seek).toHaveBeenCalledWith({ topic: 't', partition: 0, offset: '5' });
    expect(resolved).toEqual([]);
    await take(5, 2);
    await eventually(() => expect(handled).toEqual(['5', '6']));
    expect(resolved).toEqual(['6']);
  });

  it('continues, and logs it, when the wanted events have expired', async () => {
    for (let read = 0; read < 3; read++) await take(8, 2);
    await eventually(() => expect(handled).toEqual(['8', '9']));
    expect(errors).toEqual(['events expired before they were read']);
  });

  it('hands over nothing twice when a fetch overlaps the one before', async () => {
    await take(5, 3);
    await take(6, 4);
    await eventually(() => expect(handled).toEqual(['5', '6', '7', '8', '9']));
  });

  it('pauses a partition whose buffer is full and resumes it when there is room', async () => {
    const held = gate();
    hold = held.promise;
    await take(5, 11);
    expect(consumer.pause).toHaveBeenCalledTimes(1);
    held.open();
    await eventually(() => expect(consumer.resume).toHaveBeenCalledTimes(1));
  });

  it('drops records fetched for a partition that it no longer owns', async () => {
    await owned.giveUp([0]);
    await take(5, 2);
    expect([handled, resolved]).toEqual([[], []]);
  });
});
