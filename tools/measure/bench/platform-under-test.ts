/** Dispatcher and scheduler together, with the event transport between them. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import type { BenchDatabase, DatabaseUse } from './bench-database.ts';
import { ended, startNode } from './child-processes.ts';
import type { BenchSecrets, CertificateFiles } from './merchants.ts';
import { until } from './meters.ts';

/** The dispatcher's, as `k8s/base/webhook-dispatcher` has it. */
const youngGeneration = ['--max-semi-space-size=32'];

/** The fixture of every platform of a run. */
export interface PlatformFixture {
  database: BenchDatabase;
  neighboursUrl: string;
  secrets: BenchSecrets;
  certificate: CertificateFiles;
}

interface PlatformOptions extends PlatformFixture {
  /** Prefix of its databases: one for each platform of a run. */
  name: string;
  /** Brokers of Kafka; without them events go through PostgreSQL. */
  brokers?: string;
  /** Further settings of the dispatcher. */
  dispatcher?: Record<string, string>;
  dispatcherFlags?: string[];
  schedulerFlags?: string[];
}

/** Bytes per payment, indexes included. */
export interface Stored {
  dispatcher: number;
  scheduler: number;
}

interface PlatformUse {
  /** Of the dispatcher's and the scheduler's databases. */
  services: DatabaseUse;
  /** Of the log of the PostgreSQL transport. */
  log: DatabaseUse;
}

export class PlatformUnderTest {
  dispatcher!: ServiceUnderTest;
  scheduler!: ServiceUnderTest;
  readonly databases: { dispatcher: string; scheduler: string; events: string };

  private constructor(private readonly options: PlatformOptions) {
    const { name } = options;
    this.databases = { dispatcher: `${name}_dispatcher`, scheduler: `${name}_scheduler`, events: `${name}_events` };
  }

  static async start(options: PlatformOptions): Promise<PlatformUnderTest> {
    const platform = new PlatformUnderTest(options);
    for (const name of Object.values(platform.databases)) await options.database.create(name);
    const [dispatcherPort, schedulerPort] = [await freePort(), await freePort()];
    const env = platform.environment(dispatcherPort, schedulerPort);
    const folder = options.database.folder(options.name);
    const keys = options.secrets.tokenKeys;
    // One after the other: both make the tables of the event log.
    platform.scheduler = await startService({
      name: 'reversal-scheduler',
      folder,
      port: schedulerPort,
      env: { ...env, ...keys.env('reversal-scheduler'), DATABASE_URL: options.database.urlOf(platform.databases.scheduler) },
      nodeFlags: options.schedulerFlags,
    });
    platform.dispatcher = await startService({
      name: 'webhook-dispatcher',
      folder,
      port: dispatcherPort,
      env: {
        ...env,
        ...keys.env('webhook-dispatcher'),
        DATABASE_URL: options.database.urlOf(platform.databases.dispatcher),
        ...options.dispatcher,
      },
      nodeFlags: [...youngGeneration, ...(options.dispatcherFlags ?? [])],
    });
    return platform;
  }

  get eventsUrl(): string {
    return this.options.database.urlOf(this.databases.events);
  }

  async verdicts(firstId: number, lastId: number): Promise<{ transactionId: number; kind: string }[]> {
    return this.options.database.endsIn(this.databases.dispatcher, 'verdict', [firstId, lastId]);
  }

  async decisions(firstId: number, lastId: number): Promise<{ transactionId: number; kind: string }[]> {
    return this.options.database.endsIn(this.databases.scheduler, 'decision', [firstId, lastId]);
  }

  async countOf(table: 'verdict' | 'decision', firstId: number, lastId: number): Promise<number> {
    const name = table === 'verdict' ? this.databases.dispatcher : this.databases.scheduler;
    const sql = `select count(*)::int as count from ${table} where transaction_id between $1 and $2`;
    return (await this.options.database.query<{ count: number }>(name, sql, [firstId, lastId]))[0]!.count;
  }

  async use(): Promise<PlatformUse> {
    const [dispatcher, scheduler, log] = await Promise.all(
      [this.databases.dispatcher, this.databases.scheduler, this.databases.events].map(name => this.options.database.useOf(name)),
    );
    const services = {
      statements: dispatcher!.statements + scheduler!.statements,
      rowsInserted: dispatcher!.rowsInserted + scheduler!.rowsInserted,
    };
    return { services, log: log! };
  }

  /** Bytes a payment takes in each database, indexes included. */
  async stored(): Promise<Stored> {
    const { database } = this.options;
    return {
      dispatcher: await database.bytesPerRow(this.databases.dispatcher, ['delivery', 'attempt', 'verdict']),
      scheduler: await database.bytesPerRow(this.databases.scheduler, ['decision', 'job']),
    };
  }

  /** At once: what is unfinished stays so. */
  async kill(): Promise<void> {
    await Promise.all([this.dispatcher.kill(), this.scheduler.kill()]);
  }

  private environment(dispatcherPort: number, schedulerPort: number): Record<string, string> {
    const { secrets, neighboursUrl, brokers, certificate } = this.options;
    const transport: Record<string, string> = brokers
      ? { EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: brokers }
      : { EVENTS_TRANSPORT: 'postgres', EVENTS_DATABASE_URL: this.eventsUrl };
    return {
      ...transport,
      PAYLOAD_KEYS: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys,
      AUTH_SESSION_URL: neighboursUrl,
      NOTIFICATION_CONFIG_URL: neighboursUrl,
      WEBHOOK_DISPATCHER_URL: `http://127.0.0.1:${dispatcherPort}`,
      REVERSAL_SCHEDULER_URL: `http://127.0.0.1:${schedulerPort}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    };
  }
}

/** Services under test: the release bundles, each in its own process on its own database. */
export interface ServiceUnderTest {
  pid: number;
  internalUrl: string;
  publicUrl: string;
  /** The file of what it prints. */
  log: string;
  stop(): Promise<void>;
  /** At once, as a crash would. */
  kill(): Promise<void>;
}

interface ServiceOptions {
  name: 'auth-session' | 'webhook-dispatcher' | 'reversal-scheduler' | 'payment-simulator';
  /** Where its log goes. */
  folder: string;
  port: number;
  env: Record<string, string>;
  nodeFlags?: string[];
}

const startTimeoutMs = 60_000;

/** Resolves when it accepts traffic; rejects with the end of its log when it fails to start. */
export async function startService({ name, folder, port, env, nodeFlags }: ServiceOptions): Promise<ServiceUnderTest> {
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'a');
  const main = join(process.cwd(), 'dist/apps', name, 'main.cjs');
  const publicPort = await freePort();
  const ports = { LISTEN_HOST: '127.0.0.1', INTERNAL_PORT: String(port), PUBLIC_PORT: String(publicPort) };
  const child = startNode(main, { env: { LOG_LEVEL: 'info', ...ports, ...env }, nodeFlags, output });
  closeSync(output);
  const [internalUrl, publicUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${publicPort}`];
  await untilReady(child, { name, log, isReady: () => answersWell(`${internalUrl}/health/ready`) });
  return { pid: child.pid!, internalUrl, publicUrl, log, stop: () => ended(child), kill: () => ended(child, 'SIGKILL') };
}

/** Rejects with the end of its log when it ends before, or is not ready in time. */
async function untilReady(
  child: ChildProcess,
  { name, log, isReady }: { name: string; log: string; isReady: () => Promise<boolean> },
): Promise<void> {
  const look = async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
    return isReady();
  };
  await until(`${name} ready`, look, { withinMs: startTimeoutMs, everyMs: 50 }).catch((error: Error) => {
    throw new Error(`${error.message}\n${readFileSync(log, 'utf8').slice(-2_000)}`);
  });
}

function answersWell(url: string): Promise<boolean> {
  return fetch(url).then(
    response => response.ok,
    () => false,
  );
}
