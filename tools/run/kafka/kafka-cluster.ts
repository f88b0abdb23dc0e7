import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { topicCatalog } from '@paycode/dto';
import { createKafkaClient, ensureTopics, type KafkaConnection } from '@paycode/events/kafka';
import { kafkaJars } from './distribution';

/** Ports of one node; every node is broker and controller. */
export interface NodePorts {
  client: number;
  controller: number;
}

/** PEM files of a secured cluster. */
interface BrokerSecurity {
  /** Key and certificate of the brokers. */
  keystoreFile: string;
  /** Authority of brokers and controllers. */
  truststoreFile: string;
  /** Name in the brokers' certificate. */
  brokerName: string;
  /** SCRAM user of the brokers among themselves and of whoever administers. */
  admin: { username: string; password: string };
}

interface BrokerOptions {
  nodeId: number;
  nodes: readonly NodePorts[];
  dataDir: string;
  security?: BrokerSecurity;
}

/** server.properties of one node of a KRaft cluster on this machine with a static quorum. */
function brokerProperties(options: BrokerOptions): Record<string, string> {
  const { nodeId, nodes, dataDir, security } = options;
  const own = nodes[nodeId - 1];
  if (!own) throw new Error(`there is no node ${nodeId}`);
  const replicas = String(Math.min(3, nodes.length));
  const minIsr = nodes.length >= 3 ? '2' : '1';
  return {
    'process.roles': 'broker,controller',
    'node.id': String(nodeId),
    'controller.quorum.voters': nodes.map(({ controller }, at) => `${at + 1}@127.0.0.1:${controller}`).join(','),
    listeners: `CLIENT://127.0.0.1:${own.client},CONTROLLER://127.0.0.1:${own.controller}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${own.client}`,
    'inter.broker.listener.name': 'CLIENT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataDir,
    // Topics are made from docs/reference/topics.yaml and by nobody else.
    'auto.create.topics.enable': 'false',
    'unclean.leader.election.enable': 'false',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '3',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minIsr,
    'transaction.state.log.num.partitions': '3',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': minIsr,
    'group.initial.rebalance.delay.ms': '0',
    // A dead broker is noticed somewhat sooner than by default (9 s): tests wait for it.
    'broker.session.timeout.ms': '6000',
    'broker.heartbeat.interval.ms': '1000',
    'num.network.threads': '2',
    'num.io.threads': '4',
    ...(security ? securedProperties(security) : { 'listener.security.protocol.map': 'CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT' }),
  };
}

/** Clients and brokers: TLS and SCRAM. Controllers: TLS with certificates on both sides, for SCRAM users live in what they keep. */
function securedProperties({ keystoreFile, truststoreFile, brokerName, admin }: BrokerSecurity): Record<string, string> {
  const login = `username="${admin.username}" password="${admin.password}"`;
  return {
    'listener.security.protocol.map': 'CLIENT:SASL_SSL,CONTROLLER:SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystoreFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': truststoreFile,
    'listener.name.controller.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'sasl.mechanism.inter.broker.protocol': 'SCRAM-SHA-512',
    'listener.name.client.scram-sha-512.sasl.jaas.config': `org.apache.kafka.common.security.scram.ScramLoginModule required ${login};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'false',
    'super.users': `User:${admin.username};User:CN=${brokerName}`,
  };
}

function propertiesText(properties: Record<string, string>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

interface KafkaClusterOptions {
  version: string;
  /** One entry per broker. */
  nodes: readonly NodePorts[];
  /** Data, logs and properties; kept between starts. */
  folder: string;
  detached?: boolean;
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
    return this.options.nodes.map(({ client }) => `127.0.0.1:${client}`);
  }

  /** How a client connects: as the administrator unless `user` is given. */
  connection(user?: { username: string; password: string }): KafkaConnection {
    const { security } = this.options;
    return { brokers: this.brokers, ...(security ? { tlsCa: security.ca, sasl: user ?? security.admin } : {}) };
  }

  /** Waits until all brokers are part of the cluster. Throws with the brokers' own words. */
  async ready(): Promise<void> {
    const giveUpAt = performance.now() + readyTimeoutMs;
    for (;;) {
      if ((await this.servingBrokers()) >= this.nodes.length) return;
      if (performance.now() > giveUpAt || this.nodes.some(node => !node.isRunning)) {
        throw new Error(`Kafka did not get ready:\n${this.nodes.map(node => node.logTail()).join('\n')}`);
      }
      await pause(200);
    }
  }

  /** Creates the topics of the catalog and their dead letters. */
  async ensureTopics(): Promise<string[]> {
    const admin = this.client('paycode-kafka-admin').admin();
    await admin.connect();
    try {
      return await ensureTopics(admin, { topics: topicCatalog, replicationFactor: Math.min(3, this.nodes.length) });
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
  const { nodes, folder, detached, security } = options;
  const own = join(folder, `node-${nodeId}`);
  const dataDir = join(own, 'data');
  mkdirSync(dataDir, { recursive: true });
  // Holds the administrator's password when secured.
  writeFileSync(join(own, 'server.properties'), propertiesText(brokerProperties({ nodeId, nodes, dataDir, security })), {
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

const run = promisify(execFile);
const javaFlags = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:+ExitOnOutOfMemoryError', '-Djava.awt.headless=true'];
const stopTimeoutMs = 30_000;
const logTailChars = 4_000;

interface KafkaNodeOptions {
  jars: string;
  /** Folder of the node: properties, log, data. */
  folder: string;
  /** The process outlives this one. */
  detached?: boolean;
}

/** One Kafka process. */
class KafkaNode {
  private child?: ChildProcess;

  constructor(private readonly options: KafkaNodeOptions) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Writes the storage format on first use. `scramUsers` can only be given then. */
  async format(clusterId: string, scramUsers: readonly { username: string; password: string }[]): Promise<void> {
    const users = scramUsers.flatMap(({ username, password }) => [
      '--add-scram',
      `SCRAM-SHA-512=[name=${username},password=${password}]`,
    ]);
    // In one argument: an id may begin with a dash.
    const args = ['format', '--ignore-formatted', `--cluster-id=${clusterId}`, '-c', this.file('server.properties'), ...users];
    await run('java', [...this.javaArgs('storage.log'), 'kafka.tools.StorageTool', ...args]);
  }

  start(): void {
    const output = openSync(this.file('server.out'), 'a');
    this.child = spawn('java', [...this.javaArgs('server.log'), 'kafka.Kafka', this.file('server.properties')], {
      stdio: ['ignore', output, output],
      detached: this.options.detached ?? false,
    });
    if (this.options.detached) this.child.unref();
  }

  /** SIGTERM: leaders are handed over and the log is closed in order. Killed when that takes too long. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** SIGKILL, as when a machine dies. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** The last lines the broker wrote, for the message of whoever waited in vain. */
  logTail(): string {
    return ['server.out', 'server.log'].map(name => readTail(this.file(name))).join('\n');
  }

  private end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || !this.isRunning) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.kill(signal);
    });
  }

  private javaArgs(logFile: string): string[] {
    return [
      ...javaFlags,
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      `-Dorg.slf4j.simpleLogger.logFile=${this.file(logFile)}`,
      '-cp',
      join(this.options.jars, '*'),
    ];
  }

  private file(name: string): string {
    return join(this.options.folder, name);
  }
}

function readTail(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-logTailChars);
  } catch (error) {
    return `${file}: ${(error as NodeJS.ErrnoException).code}`;
  }
}
