import type { Kafka, ProducerBatch, RecordMetadata } from 'kafkajs';
import { gate } from '../testing/collector';
import { quietLog } from '../testing/transport-harness';
import { KafkaPublisher, type KafkaRecord, UnconfirmedPublishError } from './kafka-publisher';

const record = (partition: number, bytes = 100): KafkaRecord => ({
  topic: 't',
  partition,
  key: 'k',
  value: 'v',
  headers: {},
  bytes,
});

/** Partitions of a request, in order. */
const partitionsOf = (batch: ProducerBatch) =>
  (batch.topicMessages ?? []).flatMap(({ messages }) => messages.map(({ partition }) => partition));

class FakeKafka {
  readonly requests: (number | undefined)[][] = [];
  producers = 0;
  disconnected = 0;
  answer: (batch: ProducerBatch) => Promise<RecordMetadata[]> = async batch => answersTo(batch);

  producer() {
    this.producers++;
    return {
      connect: async () => undefined,
      disconnect: async () => void this.disconnected++,
      sendBatch: (batch: ProducerBatch) => {
        this.requests.push(partitionsOf(batch));
        return this.answer(batch);
      },
    };
  }
}

function answersTo(batch: ProducerBatch, errorCode = 0): RecordMetadata[] {
  return partitionsOf(batch).map(partition => ({ topicName: 't', partition: partition ?? 0, errorCode }));
}

describe('KafkaPublisher', () => {
  let kafka: FakeKafka;
  let publisher: KafkaPublisher;
  beforeEach(() => {
    kafka = new FakeKafka();
    publisher = new KafkaPublisher(kafka as unknown as Kafka, quietLog);
  });
  afterEach(() => publisher.close());

  it('rejects when the answers lack a partition that was written, however successful they look', async () => {
    kafka.answer = async batch => answersTo(batch).filter(({ partition }) => partition !== 2);
    await expect(publisher.publish([record(1), record(2)])).rejects.toThrow(new UnconfirmedPublishError(['t/2']));
  });

  it('rejects when an answer carries an error', async () => {
    kafka.answer = async batch => answersTo(batch, 7);
    await expect(publisher.publish([record(1)])).rejects.toThrow(UnconfirmedPublishError);
  });

  it('replaces the producer after a failure, for an idempotent one may never recover', async () => {
    kafka.answer = async () => Promise.reject(new Error('out of order sequence'));
    await expect(publisher.publish([record(1)])).rejects.toThrow('out of order sequence');
    kafka.answer = async batch => answersTo(batch);
    await publisher.publish([record(1)]);
    expect([kafka.producers, kafka.disconnected]).toEqual([2, 1]);
  });

  it('has one request in flight; calls made meanwhile share the next one, in order', async () => {
    const held = gate();
    kafka.answer = async batch => {
      await held.promise;
      return answersTo(batch);
    };
    const calls = [0, 1, 2, 3].map(partition => publisher.publish([record(partition)]));
    held.open();
    await Promise.all(calls);
    expect(kafka.requests).toEqual([[0], [1, 2, 3]]);
  });

  it('records that the broker refuses fail only the call that brought them (T-29)', async () => {
    const held = gate();
    const refusal = Object.assign(new Error('too large'), { type: 'MESSAGE_TOO_LARGE' });
    kafka.answer = async batch => {
      await held.promise;
      if (partitionsOf(batch).includes(2)) throw new Error('not produced', { cause: refusal });
      return answersTo(batch);
    };
    const calls = [0, 1, 2, 3].map(partition => publisher.publish([record(partition)]));
    held.open();
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('keeps a request below the size that a broker takes for one partition', async () => {
    await publisher.publish(Array.from({ length: 5 }, () => record(0, 200_000)));
    expect(kafka.requests.map(partitions => partitions.length)).toEqual([2, 2, 1]);
  });

  it('publishes nothing after it was closed', async () => {
    await publisher.close();
    await expect(publisher.publish([record(0)])).rejects.toThrow('closed');
  });
});
