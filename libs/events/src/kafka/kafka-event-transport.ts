import { setTimeout as pause } from 'node:timers/promises';
import { deadLetterTopics, topicCatalog, topicDefaults, type TopicDefinition } from '@paycode/dto';
import type { Admin, IHeaders, ITopicConfig, Kafka } from 'kafkajs';
import { parkingTopicOf, passOver } from '../delivery/deliver-batch';
import { withinTime } from '@paycode/service-runtime/timing';
import { type DeadLetter, type EventToPublish, EventTransport, type Subscriber, type Subscription } from '../event-transport';
import { nameInCell } from '../events-env';
import { definitionOf, dlqReasonHeader, encodeBounded } from '../record/cloud-event';
import { partitionOf } from '../record/partitioning';
import { createKafkaClient, type KafkaClientOptions } from './kafka-client';
import { isTransient } from './kafka-errors';
import { KafkaPublisher, type KafkaRecord } from './kafka-publisher';
import { KafkaSubscriber } from './kafka-subscriber';

export interface KafkaEventTransportOptions extends KafkaClientOptions {
  topics?: readonly TopicDefinition[];
  /** A member that is silent for this long loses its partitions. Default 10,000. */
  sessionTimeoutMs?: number;
  /**
   * How long a subscriber tries its first join while brokers answer that they are not ready, as a coordinator does that still loads its
   * groups. Default 60,000, which is half of what the manifests allow a start.
   */
  firstJoinMs?: number;
  /** The cell of the service, whose groups are its own. Default: that of a platform of one cell. */
  cell?: string | null;
}

/** An estimate for splitting requests; no limit depends on it. */
const headerBytesGuess = 1_024;
const askAttemptsMax = 6;
const askPauseMs = 150;
const askTimeoutMs = 20_000;
/** Intake of the partition waits for the end of the log. */
const endTimeoutMs = 5_000;

/** Events on Kafka. Topics must exist (`ensureTopics`): brokers create none, and a service may not. */
export class KafkaEventTransport extends EventTransport {
  private readonly kafka: Kafka;
  private readonly publisher: KafkaPublisher;
  private readonly partitionCounts = new Map<string, Promise<number>>();
  private readonly topicOfGroup = new Map<string, string>();
  private readonly subscribers = new Set<KafkaSubscriber>();
  private closed?: Promise<void>;

  constructor(private readonly options: KafkaEventTransportOptions) {
    super();
    this.kafka = createKafkaClient(options);
    this.publisher = new KafkaPublisher(this.kafka, options.log);
  }

  async publish(events: readonly EventToPublish[]): Promise<void> {
    if (this.closed) throw new Error('event transport is closed');
    const records = events.map(encodeBounded);
    const counts = new Map<string, number>();
    for (const { topic } of records) if (!counts.has(topic)) counts.set(topic, await this.partitionCount(topic));
    await this.publisher.publish(
      records.map(record => ({ ...record, partition: partitionOf(record.key, counts.get(record.topic)!) })),
    );
  }

  async subscribe(subscription: Subscription): Promise<Subscriber> {
    if (this.closed) throw new Error('event transport is closed');
    const { log, sessionTimeoutMs = 10_000, firstJoinMs = 60_000 } = this.options;
    this.requireOwnGroup(subscription);
    await this.partitionCount(subscription.topic);
    const subscriber = new KafkaSubscriber({
      kafka: this.kafka,
      subscription,
      memberOf: nameInCell(subscription.group, this.options.cell),
      sessionTimeoutMs,
      firstJoinMs,
      log,
      park: await this.parking(subscription),
      onStopped: stopped => this.subscribers.delete(stopped),
    });
    this.subscribers.add(subscriber);
    await subscriber.start();
    return subscriber;
  }

  /** A Kafka group spans topics, and kafkajs assigns wrongly when its members subscribe to different ones. */
  private requireOwnGroup({ topic, group }: Subscription): void {
    const known = this.topicOfGroup.get(group) ?? topic;
    if (known !== topic) throw new Error(`consumer group ${group} reads ${known} already; ${topic} needs a group of its own`);
    this.topicOfGroup.set(group, topic);
  }

  private async parking(subscription: Subscription): Promise<(letters: readonly DeadLetter[]) => Promise<void>> {
    const name = parkingTopicOf(subscription);
    if (name === undefined) return passOver(subscription, this.options.log);
    // Finds a missing dead-letter topic now, and not when the first poison event has to be parked.
    await this.partitionCount(name);
    return letters => this.publisher.publish(letters.map(letter => toRecord(letter, name)));
  }

  partitionCount(topic: string): Promise<number> {
    const known = this.partitionCounts.get(topic);
    if (known) return known;
    const found = this.askPartitionCount(topic);
    this.partitionCounts.set(topic, found);
    found.catch(() => this.partitionCounts.delete(topic));
    return found;
  }

  async committed(topic: string, group: string): Promise<(number | null)[]> {
    const count = await this.partitionCount(topic);
    const groupId = nameInCell(group, this.options.cell);
    const [found] = await this.ask(admin => admin.fetchOffsets({ groupId, topics: [topic] }), `offsets of ${groupId}`);
    const offsets = new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    return Array.from({ length: count }, (_, partition) => nullIfNone(offsets.get(partition) ?? -1));
  }

  async endOf(topic: string, partition: number): Promise<number> {
    const offsets = await this.ask(admin => admin.fetchTopicOffsets(topic), `end of ${topic}`, endTimeoutMs);
    const found = offsets.find(each => each.partition === partition);
    if (!found) throw new Error(`topic ${topic} has no partition ${partition}`);
    return Number(found.high);
  }

  close(): Promise<void> {
    return (this.closed ??= this.shutDown());
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscribers].map(subscriber => subscriber.stop()));
    await this.publisher.close();
  }

  /**
   * As the catalog says, also when the topic has more: then events go to the first ones, so that those of one key stay in order, and subscribers
   * read all. Kafka cannot take partitions away. Throws UnknownTopicError, TooFewPartitionsError, or the broker's error for a missing or
   * forbidden topic.
   */
  private async askPartitionCount(topic: string): Promise<number> {
    const { partitions } = definitionOf(topic, this.options.topics ?? topicCatalog);
    const found = await this.ask(admin => partitionsOnBrokers(admin, topic), `metadata of ${topic}`);
    if (found < partitions) throw new TooFewPartitionsError(topic, found, partitions);
    if (found > partitions)
      this.options.log.warn(
        { event: 'topic-partitions', topic, found, used: partitions },
        'a topic has more partitions than its events use',
      );
    return partitions;
  }

  private async ask<T>(question: (admin: Admin) => Promise<T>, what: string, limitMs = askTimeoutMs): Promise<T> {
    const admin = this.kafka.admin({ retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 } });
    try {
      // kafkajs may wait without end for a broker that stopped while the connection was being made.
      return await withinTime(
        admin.connect().then(() => question(admin)),
        limitMs,
        what,
      );
    } finally {
      void this.leave(admin);
    }
  }

  private async leave(admin: Admin): Promise<void> {
    try {
      await withinTime(admin.disconnect(), askTimeoutMs, 'kafka admin close');
    } catch (error) {
      this.options.log.warn({ event: 'kafka-admin', err: error }, 'metadata connection could not be closed');
    }
  }
}

/** Kafka answers -1 for a partition of which the group has committed nothing. */
function nullIfNone(offset: number): number | null {
  return offset < 0 ? null : offset;
}

/** A new topic is not known to every broker yet, so this asks a few times before the topic counts as missing. */
async function partitionsOnBrokers(admin: Admin, topic: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      const metadata = await admin.fetchTopicMetadata({ topics: [topic] });
      return metadata.topics[0]?.partitions.length ?? 0;
    } catch (error) {
      if (!isTransient(error) || attempt === askAttemptsMax) throw error;
      await pause(askPauseMs * attempt);
    }
  }
}

/** The record as it was received, with the reason; a dead-letter topic has one partition. */
function toRecord({ record: { raw }, reason }: DeadLetter, topic: string): KafkaRecord {
  const key = bytesOf(raw.key);
  const value = bytesOf(raw.value);
  const headers = { ...raw.headers, [dlqReasonHeader]: reason } as IHeaders;
  return { topic, partition: 0, key, value, headers, bytes: (key?.length ?? 0) + (value?.length ?? 0) + headerBytesGuess };
}

function bytesOf(text: Uint8Array | string | null | undefined): Buffer | null {
  return text === null || text === undefined ? null : Buffer.from(text);
}

/** A topic has fewer partitions than its events are spread over. Adding them is an operator's to do: programs of others may write there too. */
export class TooFewPartitionsError extends Error {
  constructor(topic: string, found: number, wanted: number) {
    const command = `kafka-topics.sh --alter --topic ${topic} --partitions ${wanted}`;
    super(`topic ${topic} has ${found} partitions and needs ${wanted}: ${command} adds them`);
    this.name = 'TooFewPartitionsError';
  }
}

export interface EnsureTopicsOptions {
  topics: readonly TopicDefinition[];
  /** 1 on a single local broker. */
  replicationFactor?: number;
}

/** A cluster that is just starting refuses topics until enough of its brokers have joined. */
const attemptsMax = 10;
const attemptPauseMs = 500;

/** Creates the missing topics and their dead-letter topics (brokers create none by themselves). Returns the created names. */
export async function ensureTopics(admin: Admin, { topics, replicationFactor }: EnsureTopicsOptions): Promise<string[]> {
  const wanted = [...topics, ...deadLetterTopics(topics)];
  const created: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const existing = new Set(await admin.listTopics());
    await verifyPartitions(
      admin,
      wanted.filter(({ name }) => existing.has(name) && !created.includes(name)),
    );
    const missing = wanted.filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return created;
    try {
      const configs = missing.map(topic => configOf(topic, replicationFactor ?? topicDefaults.replicationFactor));
      await admin.createTopics({ topics: configs, waitForLeaders: false, timeout: 30_000 });
      created.push(...missing.map(({ name }) => name));
    } catch (error) {
      if (attempt === attemptsMax) throw error;
    }
    await pause(attemptPauseMs);
  }
}

async function verifyPartitions(admin: Admin, topics: readonly TopicDefinition[]): Promise<void> {
  if (topics.length === 0) return;
  const metadata = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => name) });
  for (const { name, partitions } of topics) {
    const found = metadata.topics.find(topic => topic.name === name)?.partitions.length ?? 0;
    if (found < partitions) throw new TooFewPartitionsError(name, found, partitions);
  }
}

function configOf(topic: TopicDefinition, replicationFactor: number): ITopicConfig {
  return {
    topic: topic.name,
    numPartitions: topic.partitions,
    replicationFactor,
    configEntries: [
      { name: 'retention.ms', value: String(topic.retentionMs) },
      { name: 'cleanup.policy', value: topic.cleanupPolicy },
      { name: 'min.insync.replicas', value: String(Math.min(topicDefaults.minInSyncReplicas, replicationFactor)) },
      { name: 'message.timestamp.type', value: topicDefaults.timestampType },
    ],
  };
}
