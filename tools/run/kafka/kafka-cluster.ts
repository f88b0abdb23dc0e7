import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { topicCatalog, type TopicDefinition } from '@paycode/dto';
import { createKafkaClient, ensureTopics, type KafkaConnection } from '@paycode/events/kafka';
import { brokerProperties, type BrokerSecurity, type NodePorts, propertiesText } from './broker-properties';
import { kafkaJars } from './distribution';
import { KafkaNode } from './kafka-node';

export interface KafkaClusterOptions {
  version: string;
  /** One entry per broker. */
  nodes: readonly NodePorts[];
  /** Data, logs and properties; kept between starts. */
  folder: string;
  detached?: boolean;
  /** Where the brokers listen, and clients reach them; 127.0.0.1 when omitted. */
  address?: string;
  security?: ClusterSecurity;
}

interface ClusterSecurity extends BrokerSecurity {
  /** PEM text that clients trust. */
  ca: string;
  /** SCRAM users made when the storage is formatted, besides the administrator. */
  users: readonly { username: string; password: string }[];
}

const readyTimeoutMs = 240_000;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A Kafka cluster in KRaft mode on this machine. */
export class KafkaCluster {
  private constructor(
    private readonly options: KafkaClusterOptions,
    readonly nodes: readonly KafkaNode[],
  ) {}

  /** Fetches Kafka if need be, formats the storage on first use, starts every node and waits until all of them serve. */
  static async start(options: KafkaClusterOptions): Promise<KafkaCluster> {
    const jars = await kafkaJars(options.version);
    const clusterId = clusterIdIn(options.folder);
    const nodes = options.nodes.map((_, at) => prepareNode(options, at + 1, jars));
    const { security } = options;
    const users = security ? [security.admin, ...security.users] : [];
    await Promise.all(nodes.map(node => node.format(clusterId, users)));
    const cluster = new KafkaCluster(options, nodes);
    for (const node of nodes) node.start();
    try {
      await cluster.ready();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get brokers(): string[] {
    const { nodes, address = '127.0.0.1' } = this.options;
    return nodes.map(({ client }) => `${address}:${client}`);
  }

  /** How a client connects: as the administrator unless `user` is given. */
  connection(user?: { username: string; password: string }): KafkaConnection {
    const { security } = this.options;
    return { brokers: this.brokers, ...(security ? { tlsCa: security.ca, sasl: user ?? security.admin } : {}) };
  }

  /** Waits until `count` brokers (default: all) are part of the cluster. Throws with the brokers' own words. */
  async ready(count = this.nodes.length): Promise<void> {
    const giveUpAt = performance.now() + readyTimeoutMs;
    for (;;) {
      if ((await this.servingBrokers()) >= count) return;
      const dead = this.nodes.filter(node => !node.isRunning);
      if (performance.now() > giveUpAt || this.nodes.length - dead.length < count) {
        throw new Error(`Kafka did not get ready:\n${this.nodes.map(node => node.logTail()).join('\n')}`);
      }
      await pause(200);
    }
  }

  /** Creates the topics of the catalog and their dead letters. */
  async ensureTopics(topics: readonly TopicDefinition[] = topicCatalog): Promise<string[]> {
    const admin = this.client('paycode-kafka-admin').admin();
    await admin.connect();
    try {
      return await ensureTopics(admin, { topics, replicationFactor: Math.min(3, this.nodes.length) });
    } finally {
      await admin.disconnect();
    }
  }

  client(clientId: string) {
    return createKafkaClient({ connection: this.connection(), clientId, log: quiet });
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.stop()));
  }

  private async servingBrokers(): Promise<number> {
    const admin = this.client('paycode-kafka-ready').admin({ retry: { retries: 0 } });
    try {
      await admin.connect();
      return (await admin.describeCluster()).brokers.length;
    } catch {
      // Not up yet; the caller gives up in time and shows the brokers' logs.
      return 0;
    } finally {
      await admin.disconnect();
    }
  }
}

function prepareNode(options: KafkaClusterOptions, nodeId: number, jars: string): KafkaNode {
  const { nodes, folder, detached, address, security } = options;
  const own = join(folder, `node-${nodeId}`);
  const dataDir = join(own, 'data');
  mkdirSync(dataDir, { recursive: true });
  // Holds the administrator's password when secured.
  writeFileSync(join(own, 'server.properties'), propertiesText(brokerProperties({ nodeId, nodes, dataDir, address, security })), {
    mode: 0o600,
  });
  return new KafkaNode({ jars, folder: own, detached });
}

/** Kafka's own form of an id: 16 bytes in base64url. */
function clusterIdIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'cluster.id');
  if (!existsSync(file)) writeFileSync(file, randomBytes(16).toString('base64url'));
  return readFileSync(file, 'utf8');
}
