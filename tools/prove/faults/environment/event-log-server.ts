import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { topics, type TransactionTerminal } from '@paycode/dto';
import { createEventTransport, type EventToPublish, type EventTransport } from '@paycode/events';
import { freePort } from '@paycode/persistence/embedded';
import type { DatabaseServer } from './database-server.ts';
import { TcpProxy } from './proxies.ts';
import { kafkaVersion, workspaceRoot } from '../../../run/kafka/distribution';
import { KafkaCluster } from '../../../run/kafka/kafka-cluster';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The event log: Kafka, or the log in PostgreSQL. */
export abstract class EventLogServer {
  private publisher: EventTransport | undefined;
  /** Settings of the services. */
  abstract readonly env: Record<string, string>;
  /** Port for a proxy in front of it; undefined when a proxy is not possible. */
  get proxyPort(): number | undefined {
    return undefined;
  }
  abstract goDown(): Promise<void>;
  abstract comeBack(): Promise<void>;
  /** Moves a group without running members behind all events published so far. */
  abstract skip(group: string, topic: string): Promise<void>;
  /** Publishes arbitrary bytes, as a foreign producer may; false when the log accepts events only. */
  abstract publishRaw(topic: string, key: string, value: string): Promise<boolean>;
  protected abstract end(): Promise<void>;

  /** Kafka where the case or FAULTS_EVENTS asks for it and it can run; says so when it cannot. */
  static start(kind: 'kafka' | 'postgres' = 'postgres', folder: string, others: DatabaseServer): Promise<EventLogServer> {
    if (kind === 'postgres' && process.env['FAULTS_EVENTS'] !== 'kafka') return PostgresLog.open(others);
    const obstacle = kafkaObstacle();
    if (!obstacle) return KafkaLog.open(folder);
    process.stderr.write(`Kafka: not run (${obstacle}); these cases use the event log in PostgreSQL\n`);
    return PostgresLog.open(others);
  }

  /** Publishes as any producer may: duplicates, old events, anything that has the form of an event. */
  async publish(events: readonly EventToPublish[]): Promise<void> {
    const { env } = this;
    this.publisher ??= await createEventTransport(
      {
        transport: env['EVENTS_TRANSPORT'] as 'kafka' | 'postgres',
        databaseUrl: env['EVENTS_DATABASE_URL'] ?? null,
        kafka: {
          brokers: env['KAFKA_BROKERS']?.split(',') ?? [],
          caFile: null,
          username: null,
          password: null,
        },
      },
      { service: 'fault-cases', log: quiet },
    );
    await this.publisher.publish(events);
  }

  async close(): Promise<void> {
    await this.publisher?.close();
    await this.end();
  }
}

function kafkaObstacle(): string | undefined {
  if (process.env['FAULTS_EVENTS'] === 'postgres') return 'FAULTS_EVENTS=postgres';
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return undefined;
  } catch (error) {
    return `java does not run here: ${(error as Error).message}`;
  }
}

/** A broker of the platform's own. */
class KafkaLog extends EventLogServer {
  private constructor(private readonly cluster: KafkaCluster) {
    super();
  }

  static async open(folder: string): Promise<KafkaLog> {
    const nodes = [{ client: await freePort(), controller: await freePort() }];
    const cluster = await KafkaCluster.start({ version: kafkaVersion(), nodes, folder });
    await cluster.ensureTopics();
    return new KafkaLog(cluster);
  }

  override get env(): Record<string, string> {
    return { EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: this.cluster.brokers.join() };
  }

  override async skip(groupId: string, topic: string): Promise<void> {
    const admin = this.cluster.client('fault-cases').admin();
    await admin.connect();
    try {
      const ends = await admin.fetchTopicOffsets(topic);
      await admin.setOffsets({ groupId, topic, partitions: ends.map(({ partition, high }) => ({ partition, offset: high })) });
    } finally {
      await admin.disconnect();
    }
  }

  override async publishRaw(topic: string, key: string, value: string): Promise<boolean> {
    const producer = this.cluster.client('fault-cases').producer({ retry: { retries: 1 } });
    const about = { ce_specversion: '1.0', ce_id: `raw-${key}`, ce_type: 'TransactionTerminal', ce_source: 'x', ce_time: 'x' };
    await producer.connect();
    try {
      await producer.send({ topic, messages: [{ key, value, headers: about }] });
      return true;
    } finally {
      await producer.disconnect();
    }
  }

  override async goDown(): Promise<void> {
    await Promise.all(this.cluster.nodes.map(node => node.kill()));
  }

  override async comeBack(): Promise<void> {
    for (const node of this.cluster.nodes) if (!node.isRunning) node.start();
    await this.cluster.ready();
  }

  protected override end(): Promise<void> {
    return this.cluster.stop();
  }
}

class PostgresLog extends EventLogServer {
  private constructor(
    private readonly server: DatabaseServer,
    private readonly proxy: TcpProxy,
  ) {
    super();
  }

  static async open(server: DatabaseServer): Promise<PostgresLog> {
    return new PostgresLog(server, await TcpProxy.open({ host: '127.0.0.1', port: server.port }));
  }

  override get env(): Record<string, string> {
    return { EVENTS_TRANSPORT: 'postgres', EVENTS_DATABASE_URL: this.proxy.urlOf(this.server.urlOf('events')) };
  }

  override get proxyPort(): number {
    return this.proxy.port;
  }

  override async skip(group: string, topic: string): Promise<void> {
    const sql = `update event_group g set positions = array_fill(t.next_position, array[t.partitions]) from event_topic t
                  where t.name = $2 and g.group_name = $1 and g.topic_id = t.id`;
    await this.server.query('events', sql, [group, topic]);
  }

  override async publishRaw(): Promise<boolean> {
    return false;
  }

  override async goDown(): Promise<void> {
    this.proxy.cut();
  }

  override async comeBack(): Promise<void> {
    this.proxy.heal();
  }

  protected override end(): Promise<void> {
    return this.proxy.close();
  }
}

const run = promisify(execFile);

/** The operators' own `paycode groups`. */
export class ConsumerGroups {
  constructor(private readonly brokers: string) {}

  /** The groups read again from that instant on. Rejects while one has members. */
  async rewind(instant: Date, groups: readonly string[]): Promise<void> {
    await this.paycode('rewind', ...groups, '--to', instant.toISOString(), '--execute');
  }

  /** Events the group has not committed yet. */
  async lag(group: string): Promise<number> {
    return (JSON.parse(await this.paycode('show', group)) as { unread: number }[])[0]!.unread;
  }

  private async paycode(...args: string[]): Promise<string> {
    const command = join(workspaceRoot(), 'apps/operations/src/paycode.ts');
    const env = { ...process.env, KAFKA_BROKERS: this.brokers, NODE_OPTIONS: '' };
    return (await run(process.execPath, [command, '--json', 'groups', ...args], { env })).stdout;
  }
}

interface PurchaseRow {
  merchant_id: string;
  completed_at: Date;
  notification: string;
}

/** The event of a payment that succeeded, made again from the simulator's database. */
export async function terminalOf(simulator: DatabaseServer, transactionId: number): Promise<EventToPublish> {
  const sql = 'select * from transaction where transaction_id = $1';
  const [row] = await simulator.query<PurchaseRow>('simulator', sql, [transactionId]);
  const { merchant_id, completed_at, notification } = row!;
  const state = { kind: 'PURCHASE', status: 'SUCCESS', txState: 'SUCCESS', referenceTransactionId: 0 } as const;
  const merchantId = Number(merchant_id);
  return terminalEvent({ ...state, transactionId, merchantId, completedAt: completed_at.toISOString(), notification });
}

export function terminalEvent(data: TransactionTerminal): EventToPublish {
  const key = String(data.transactionId);
  const about = { id: `terminal-${key}`, type: 'TransactionTerminal', source: 'payment-simulator', time: data.completedAt };
  return { topic: topics.transactionTerminal, key, ...about, data };
}
