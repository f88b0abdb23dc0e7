import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { TopicDefinition } from '@paycode/dto';
import type { IHeaders, ISocketFactory, Kafka } from 'kafkajs';
import type { EventTransport } from '../event-transport';
import type { EventsEnv } from '../events-env';
import { createKafkaClient, type KafkaConnection } from '../kafka/kafka-client';
import { ensureTopics, KafkaEventTransport, type KafkaEventTransportOptions } from '../kafka/kafka-event-transport';
import { dlqReasonHeader, headerOf } from '../record/cloud-event';
import { partitionOf } from '../record/partitioning';
import { quietLog, type RawLetter, type Severable, TransportHarness } from './transport-harness';

export interface KafkaHarnessOptions {
  connection: KafkaConnection;
  replicationFactor: number;
  /** File of `connection.tlsCa`, for other processes. */
  caFile?: string;
}

export type KafkaTransportTuning = Partial<Pick<KafkaEventTransportOptions, 'connection' | 'firstJoinMs'>>;

/** The Kafka transport on running brokers. */
export class KafkaHarness extends TransportHarness {
  readonly kafka: Kafka;

  private constructor(private readonly options: KafkaHarnessOptions) {
    super();
    this.kafka = createKafkaClient({ connection: options.connection, clientId: 'conformance-harness', log: quietLog });
  }

  static async open(options: KafkaHarnessOptions): Promise<KafkaHarness> {
    return new KafkaHarness(options);
  }

  get env(): EventsEnv {
    const { connection, caFile } = this.options;
    return {
      EVENTS_TRANSPORT: 'kafka',
      EVENTS_DATABASE_URL: null,
      KAFKA_BROKERS: connection.brokers,
      KAFKA_TLS_CA_FILE: caFile ?? null,
      KAFKA_SASL_USERNAME: connection.sasl?.username ?? null,
      KAFKA_SASL_PASSWORD: connection.sasl?.password ?? null,
    };
  }

  async openTransport(options: KafkaTransportTuning = {}): Promise<EventTransport> {
    // The shortest session that a broker allows: tests wait for it.
    return new KafkaEventTransport({
      connection: this.options.connection,
      ...options,
      clientId: 'conformance',
      log: quietLog,
      topics: this.topics,
      sessionTimeoutMs: 6_000,
    });
  }

  async createTopic(topic: TopicDefinition): Promise<void> {
    await this.asAdmin(admin => ensureTopics(admin, { topics: [topic], replicationFactor: this.options.replicationFactor }));
  }

  async plantUndecodable(topic: string, key: string): Promise<void> {
    const { partitions } = this.topics.find(({ name }) => name === topic)!;
    const headers: IHeaders = { ce_id: 'bad', ce_type: 'Bad', ce_source: 'conformance', ce_time: '2026-11-20T10:00:00Z' };
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    await producer.send({ topic, messages: [{ key, value: 'not json {', headers, partition: partitionOf(key, partitions) }] });
    await producer.disconnect();
  }

  async rawRecords(topic: string): Promise<RawLetter[]> {
    const [offsets] = await this.asAdmin(admin => admin.fetchTopicOffsets(topic));
    const records: RawLetter[] = [];
    if (!offsets || offsets.high === offsets.low) return records;
    const consumer = this.kafka.consumer({
      groupId: `raw-${topic}-${randomUUID()}`,
      allowAutoTopicCreation: false,
      maxWaitTimeInMs: 100,
    });
    const complete = Promise.withResolvers<void>();
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ message }) => {
        const reason = headerOf(message, dlqReasonHeader) ?? null;
        records.push({ key: String(message.key), value: String(message.value), reason });
        if (Number(message.offset) >= Number(offsets.high) - 1) complete.resolve();
      },
    });
    await complete.promise;
    await consumer.disconnect();
    return records;
  }

  async openSeverable(): Promise<Severable> {
    const sockets = new Set<Duplex>();
    let isSevered = false;
    const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
      // Port 9 (discard) of the loopback interface refuses: the broker is "gone".
      const target = { host, port: isSevered ? 9 : port };
      const socket = ssl ? connectTls({ ...ssl, ...target }, onConnect) : connect(target, onConnect);
      sockets.add(socket);
      return socket.on('close', () => sockets.delete(socket));
    };
    const transport = await this.openTransport({ connection: { ...this.options.connection, socketFactory } });
    const sever = () => {
      isSevered = true;
      // As a peer's reset looks; a silent destroy would go unnoticed by kafkajs.
      for (const socket of sockets) socket.destroy(new Error('connection cut'));
    };
    const restore = async () => {
      isSevered = false;
    };
    return { transport, sever, restore };
  }

  protected async tearDown(): Promise<void> {
    const names = await this.asAdmin(admin => admin.listTopics());
    const own = names.filter(name => this.topics.some(topic => name.startsWith(topic.name)));
    if (own.length > 0) await this.asAdmin(admin => admin.deleteTopics({ topics: own }));
  }

  private async asAdmin<T>(work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

/**
 * Brokers for tests, from KAFKA_BROKERS or PAYCODE_TEST_KAFKA_BROKERS; nothing when neither is set.
 * Where Kafka must be covered (PAYCODE_REQUIRE_KAFKA=1) a missing broker is an error.
 */
export function testBrokers(source: Record<string, string | undefined> = process.env): string[] | undefined {
  const brokers = source['KAFKA_BROKERS'] || source['PAYCODE_TEST_KAFKA_BROKERS'];
  if (brokers) return brokers.split(',');
  if (source['PAYCODE_REQUIRE_KAFKA'] === '1') {
    throw new Error(
      'a Kafka broker is required here: start one with `npm run kafka` and set KAFKA_BROKERS to the address that it prints',
    );
  }
  return undefined;
}
