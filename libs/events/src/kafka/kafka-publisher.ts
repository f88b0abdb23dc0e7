import { FlushQueue } from '@paycode/persistence';
import { type IHeaders, type Kafka, Partitioners, type Producer, type RecordMetadata } from 'kafkajs';
import { withinTime } from '@paycode/service-runtime/timing';
import { chunked } from '../record/cloud-event';
import type { TransportLog } from '../event-transport';
import { publishFault } from './kafka-errors';

/** A record addressed to one partition. */
export interface KafkaRecord {
  topic: string;
  partition: number;
  key: Buffer | string | null;
  value: Buffer | string | null;
  headers: IHeaders;
  bytes: number;
}

/** The broker did not confirm every partition that was written to. */
export class UnconfirmedPublishError extends Error {
  constructor(places: readonly string[]) {
    super(`no acknowledgement of ${places.join(', ')}`);
    this.name = 'UnconfirmedPublishError';
  }
}

/** Keeps a request below the broker's limit of 1 MiB per batch, even when all its records go to one partition. */
const requestLimits = { countMax: 1_000, bytesMax: 524_288 };
const publishTimeoutMs = 30_000;
const closeTimeoutMs = 10_000;
/** Calls of `publish` that share requests, and that may wait for them. */
const publishLimits = { flushMax: 200, queueMax: 20_000 };

/**
 * Publishes durably (`acks=all`, idempotent). One request at a time: kafkajs gets its sequence numbers wrong under concurrent sends.
 * After a failure the producer is replaced, because an idempotent one may never recover; the records may then appear twice.
 */
export class KafkaPublisher {
  private producer?: Promise<Producer>;
  private isClosed = false;
  private readonly sends = new FlushQueue<readonly KafkaRecord[], void>(async groups => {
    await this.sendAll(groups.flat());
    return groups.map(() => undefined);
  }, publishLimits);

  constructor(
    private readonly kafka: Kafka,
    private readonly log: TransportLog,
  ) {}

  /** Resolves once every record is durable. Calls made meanwhile share the next requests; order is kept. */
  publish(records: readonly KafkaRecord[]): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error('event transport is closed'));
    return records.length === 0 ? Promise.resolve() : this.sends.runOne(records);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // The callers of publish got the error of a producer that never connected, and there is nothing to close.
    const producer = await (this.producer && withinTime(this.producer, closeTimeoutMs, 'kafka producer').catch(() => undefined));
    this.producer = undefined;
    if (producer) await withinTime(producer.disconnect(), closeTimeoutMs, 'kafka producer close');
  }

  private async sendAll(records: readonly KafkaRecord[]): Promise<void> {
    for (const chunk of chunked(records, requestLimits)) {
      try {
        await withinTime(this.send(chunk), publishTimeoutMs, 'publish');
      } catch (error) {
        this.replaceProducer();
        throw publishFault(error);
      }
    }
  }

  private async send(records: readonly KafkaRecord[]): Promise<void> {
    this.producer ??= this.connect();
    const producer = await this.producer;
    const byTopic = Map.groupBy(records, ({ topic }) => topic);
    const topicMessages = [...byTopic].map(([topic, messages]) => ({
      topic,
      messages: messages.map(({ key, value, headers, partition }) => ({ key, value, headers, partition })),
    }));
    requireAll(records, await producer.sendBatch({ acks: -1, timeout: 10_000, topicMessages }));
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 },
    });
    await producer.connect();
    return producer;
  }

  private replaceProducer(): void {
    const failed = this.producer;
    this.producer = undefined;
    void failed
      ?.then(producer => producer.disconnect())
      .catch((error: unknown) => this.log.warn({ event: 'kafka-producer', err: error }, 'failed producer could not be closed'));
  }
}

/**
 * kafkajs may report success although a partition was never written, when its leader moved during a retry to a broker that had
 * already answered. So this requires an answer for every partition.
 */
function requireAll(records: readonly KafkaRecord[], answers: readonly RecordMetadata[]): void {
  const confirmed = new Set(
    answers.filter(({ errorCode }) => errorCode === 0).map(answer => `${answer.topicName}/${answer.partition}`),
  );
  const missing = new Set(records.map(({ topic, partition }) => `${topic}/${partition}`).filter(place => !confirmed.has(place)));
  if (missing.size > 0) throw new UnconfirmedPublishError([...missing]);
}
