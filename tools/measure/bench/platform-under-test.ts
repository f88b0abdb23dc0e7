/** Dispatcher and scheduler together, with the event transport between them. */
import { ServiceProcess } from '../../prove/faults/environment/service-process.ts';
import type { ConfigStandIn, ServiceSecrets } from '../../prove/faults/environment/stand-ins.ts';
import type { BenchDatabase } from './bench-database.ts';
import type { CertificateFiles } from './merchants.ts';

/** The dispatcher's, as `k8s/base/webhook-dispatcher` has it. */
const youngGeneration = ['--max-semi-space-size=32'];

/** The fixture of every platform of a run. */
export interface PlatformFixture {
  database: BenchDatabase;
  config: ConfigStandIn;
  secrets: ServiceSecrets;
  certificate: CertificateFiles;
}

interface PlatformOptions extends PlatformFixture {
  /** Prefix of its databases: one for each platform of a run. */
  name: string;
  /** Brokers of Kafka; without them events go through PostgreSQL. */
  brokers?: string;
  /** Name of its cell; without it the platform is one. */
  cell?: string;
  /** Further settings of the dispatcher. */
  dispatcher?: Record<string, string>;
  dispatcherFlags?: string[];
  schedulerFlags?: string[];
}

export type Stored = Awaited<ReturnType<PlatformUnderTest['stored']>>;

/** A service of the release bundles, on a database of its own. */
export function serviceUnderTest(
  app: 'auth-session' | 'notification-config' | 'webhook-dispatcher' | 'reversal-scheduler' | 'payment-simulator',
  logFolder: string,
  { secrets, env, nodeFlags = [] }: { secrets: ServiceSecrets; env: Record<string, string>; nodeFlags?: string[] },
): Promise<ServiceProcess> {
  const own = { LISTEN_HOST: '127.0.0.1', ...secrets.tokenKeys.env(app), ...env };
  return new ServiceProcess({ app, name: app, logFolder, env: own, nodeFlags }).claimPorts();
}

export class PlatformUnderTest {
  dispatcher!: ServiceProcess;
  scheduler!: ServiceProcess;
  readonly databases: { dispatcher: string; scheduler: string; events: string };

  private constructor(private readonly options: PlatformOptions) {
    const { name } = options;
    this.databases = { dispatcher: `${name}_dispatcher`, scheduler: `${name}_scheduler`, events: `${name}_events` };
  }

  static async start(options: PlatformOptions): Promise<PlatformUnderTest> {
    const platform = new PlatformUnderTest(options);
    for (const name of Object.values(platform.databases)) await options.database.create(name);
    await platform.open();
    return platform;
  }

  private async open(): Promise<void> {
    const { databases, options } = this;
    const { database, secrets, schedulerFlags = [], dispatcherFlags = [] } = options;
    const folder = database.folder(options.name);
    const env = this.environment();
    const [schedulerUrl, dispatcherUrl] = [database.urlOf(databases.scheduler), database.urlOf(databases.dispatcher)];
    this.scheduler = await serviceUnderTest('reversal-scheduler', folder, {
      secrets,
      env: { ...env, DATABASE_URL: schedulerUrl },
      nodeFlags: schedulerFlags,
    });
    this.dispatcher = await serviceUnderTest('webhook-dispatcher', folder, {
      secrets,
      env: { ...env, DATABASE_URL: dispatcherUrl, ...options.dispatcher },
      nodeFlags: [...youngGeneration, ...dispatcherFlags],
    });
    await this.revive();
  }

  /** Starts what does not run. */
  async revive(): Promise<void> {
    // One after the other: both make the tables of the event log.
    await this.scheduler.start({ WEBHOOK_DISPATCHER_URL: this.dispatcher.internalUrl });
    await this.dispatcher.start({ REVERSAL_SCHEDULER_URL: this.scheduler.internalUrl });
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

  /** Of the databases of both services, and of the log of the PostgreSQL transport. */
  async use() {
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
  async stored() {
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

  private environment(): Record<string, string> {
    const { secrets, config, brokers, certificate, cell } = this.options;
    const transport: Record<string, string> = brokers
      ? { EVENTS_TRANSPORT: 'kafka', KAFKA_BROKERS: brokers }
      : { EVENTS_TRANSPORT: 'postgres', EVENTS_DATABASE_URL: this.eventsUrl };
    return {
      ...transport,
      ...(cell && { CELL_NAME: cell, INSTANCE_ID: cell }),
      PAYLOAD_KEYS: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys,
      AUTH_SESSION_URL: config.url,
      NOTIFICATION_CONFIG_URL: config.url,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: certificate.certFile,
    };
  }
}
