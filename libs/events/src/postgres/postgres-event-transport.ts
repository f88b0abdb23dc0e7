import { topicCatalog, type TopicDefinition } from '@paycode/dto';
import { connectTimeoutMsOf } from '@paycode/persistence';
import { Pool } from 'pg';
import {
  type DeadLetter,
  type EventToPublish,
  EventTransport,
  type Subscriber,
  type Subscription,
  type TransportLog,
} from '../event-transport';
import { parkingTopicOf, passOver } from '../delivery/deliver-batch';
import { nameInCell } from '../events-env';
import { chunked, definitionOf, dlqReasonHeader, encodeBounded } from '../record/cloud-event';
import { partitionOf } from '../record/partitioning';
import { EventLog, LogJanitor } from './event-log';
import type { LogAppend, LogTopic } from './segment';
import { eventChannel, groupChannel, GroupMembership } from './group-membership';
import { prepareLog } from './log-owner';
import { LogSession } from './log-session';
import { PostgresSubscriber } from './postgres-subscriber';

export interface PostgresEventTransportOptions {
  /** The events database, shared by all services: `postgres://…`. A direct connection: LISTEN and advisory locks need the session. */
  url: string;
  /** Of the owner of the log, for one service: it migrates the log and grants the logins of the services their rights. */
  ownerUrl?: string | null;
  /** Shown in pg_stat_activity: the service's name. */
  applicationName: string;
  log: TransportLog;
  topics?: readonly TopicDefinition[];
  /** Time between two heartbeats of a group member. Default 1,000. */
  heartbeatMs?: number;
  /** A member that hangs for this long loses its partitions; one that dies loses them at the next heartbeat of another. Default 10,000. */
  leaseMs?: number;
  /** How long an event is kept after every group has consumed it. Default 1 hour. */
  consumedRetentionMs?: number;
  /** The cell of the service, whose groups are its own. Default: that of a platform of one cell. */
  cell?: string | null;
}

/**
 * Each statement of the log has one plan that is right, however many events it is about. PostgreSQL would plan it again each time while the
 * events are few, because it expects ten; planning costs more than such a statement.
 */
const plannedOnce = '-c plan_cache_mode=force_generic_plan';
const hourMs = 3_600_000;
const appendLimits = { countMax: 500, bytesMax: 4_194_304 };

/**
 * Longest wait for a notification, in milliseconds. While the session listens, notifications wake its subscribers within one or two
 * milliseconds, and their heartbeats find what a lost one announced: the wait only has to keep a connection of the pool from being closed.
 */
const pollMs = { listening: 20_000, deaf: 250 };
/** Between two rounds of the janitor: an event is kept for hours, so some minutes more are no matter. */
const cleanEveryMs = 300_000;

/** Events in a log of PostgreSQL, so that one machine needs nothing but Node. */
export class PostgresEventTransport extends EventTransport {
  private readonly writer: Pool;
  private readonly reader: Pool;
  private readonly eventLog: EventLog;
  private readonly session: LogSession;
  private readonly janitor: LogJanitor;
  private readonly topicsByName = new Map<string, Promise<LogTopic>>();
  private readonly subscribers = new Map<PostgresSubscriber, number>();
  private closed?: Promise<void>;

  private constructor(private readonly options: PostgresEventTransportOptions) {
    super();
    const { url, applicationName, log, topics = topicCatalog, consumedRetentionMs = hourMs } = options;
    this.writer = openPool(options, plannedOnce);
    // A lost offset commit only causes redelivery, so it need not wait for the disk. A plan for reads that is kept must be the index's,
    // also when it was made while the log was empty.
    this.reader = openPool(options, `${plannedOnce} -c synchronous_commit=off -c enable_seqscan=off -c enable_bitmapscan=off`);
    this.eventLog = new EventLog(this.writer, this.reader);
    this.session = new LogSession({ url, applicationName, log, onNotification: channel => this.onNotification(channel) });
    this.janitor = new LogJanitor({ pool: this.reader, topics, consumedRetentionMs, everyMs: cleanEveryMs, log });
  }

  /** Migrates the events database (one process at a time), or waits until its owner has, and connects. */
  static async open(options: PostgresEventTransportOptions): Promise<PostgresEventTransport> {
    const { url, ownerUrl, applicationName, topics = topicCatalog } = options;
    await prepareLog({ url, ownerUrl, applicationName, topics });
    const transport = new PostgresEventTransport(options);
    await transport.session.open();
    transport.janitor.start();
    return transport;
  }

  async publish(events: readonly EventToPublish[]): Promise<void> {
    if (this.closed) throw new Error('event transport is closed');
    const records = events.map(encodeBounded);
    const topics = new Map<string, LogTopic>();
    for (const { topic } of records) if (!topics.has(topic)) topics.set(topic, await this.topic(topic));
    for (const chunk of chunked(records, appendLimits)) {
      await this.eventLog.append(chunk.map(raw => addressed(raw, topics.get(raw.topic)!)));
    }
  }

  async subscribe(subscription: Subscription): Promise<Subscriber> {
    if (this.closed) throw new Error('event transport is closed');
    const { heartbeatMs = 1_000, leaseMs = 10_000, cell, log } = this.options;
    const { session, eventLog, reader } = this;
    const topic = await this.topic(subscription.topic);
    const group = nameInCell(subscription.group, cell);
    const subscriber = new PostgresSubscriber({
      eventLog,
      topicId: topic.id,
      subscription,
      membership: new GroupMembership({ session, pool: reader, topicId: topic.id, partitions: topic.partitions, group, leaseMs }),
      pollMs: () => (session.isUp ? pollMs.listening : pollMs.deaf),
      heartbeatMs,
      leaseMs,
      log,
      park: await this.parking(subscription),
      onStopped: stopped => this.subscribers.delete(stopped),
    });
    this.subscribers.set(subscriber, topic.id);
    try {
      await this.listenFor(subscription, topic);
      await subscriber.start();
    } catch (error) {
      this.subscribers.delete(subscriber);
      throw error;
    }
    return subscriber;
  }

  async partitionCount(topic: string): Promise<number> {
    return (await this.topic(topic)).partitions;
  }

  async committed(topic: string, group: string): Promise<(number | null)[]> {
    const { id, partitions } = await this.topic(topic);
    const positions = await this.eventLog.positionsOf(id, nameInCell(group, this.options.cell));
    return Array.from({ length: partitions }, (_, partition) => positions[partition] ?? null);
  }

  async endOf(topic: string): Promise<number> {
    return this.eventLog.endOf((await this.topic(topic)).id);
  }

  close(): Promise<void> {
    return (this.closed ??= this.shutDown());
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscribers.keys()].map(subscriber => subscriber.stop()));
    await this.janitor.stop();
    await this.session.close();
    await Promise.all([this.writer.end(), this.reader.end()]);
  }

  private topic(name: string): Promise<LogTopic> {
    const known = this.topicsByName.get(name);
    if (known) return known;
    const found = Promise.resolve()
      .then(() => definitionOf(name, this.options.topics ?? topicCatalog))
      .then(({ partitions }) => this.eventLog.ensureTopic(name, partitions));
    this.topicsByName.set(name, found);
    found.catch(() => this.topicsByName.delete(name));
    return found;
  }

  private async parking(subscription: Subscription): Promise<(letters: readonly DeadLetter[]) => Promise<void>> {
    const name = parkingTopicOf(subscription);
    if (name === undefined) return passOver(subscription, this.options.log);
    const topic = await this.topic(name);
    return letters => this.park(letters, topic);
  }

  private async park(letters: readonly DeadLetter[], topic: LogTopic): Promise<void> {
    await this.eventLog.append(
      letters.map(({ record: { raw }, reason }) => ({
        topic,
        partition: partitionOf(String(raw.key), topic.partitions),
        raw: { ...raw, headers: { ...raw.headers, [dlqReasonHeader]: reason } },
      })),
    );
  }

  /** A subscriber that reads events minutes after they came, as the audit does, does not listen for each event. */
  private async listenFor({ minAgeMs }: Subscription, { id }: LogTopic): Promise<void> {
    await this.session.listen(groupChannel(id));
    if (!minAgeMs) await this.session.listen(eventChannel(id));
  }

  /** Without a channel: notifications may have been missed. */
  private onNotification(channel?: string): void {
    for (const [subscriber, topicId] of this.subscribers) {
      if (channel === undefined || channel === eventChannel(topicId)) subscriber.onPublished();
      if (channel === undefined || channel === groupChannel(topicId)) subscriber.onGroupChanged();
    }
  }
}

function addressed(raw: { key: string; value: Buffer; headers: Record<string, string> }, topic: LogTopic): LogAppend {
  return { topic, partition: partitionOf(raw.key, topic.partitions), raw };
}

function openPool({ url, applicationName, log }: PostgresEventTransportOptions, settings: string): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: applicationName,
    max: 4,
    connectionTimeoutMillis: connectTimeoutMsOf(url),
    idleTimeoutMillis: 30_000,
    statement_timeout: 15_000,
    query_timeout: 20_000,
    keepAlive: true,
    options: settings,
  });
  pool.on('error', error => log.warn({ err: error }, 'idle event log connection failed'));
  return pool;
}
