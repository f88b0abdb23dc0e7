import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@paycode/access';
import type { TestIdentityIssuer } from '@paycode/access/testing';
import type { DatabaseServer } from './database-server.ts';
import type { EventLogServer } from './event-log-server.ts';
import type { CallProxy, TcpProxy } from './proxies.ts';
import { ServiceProcess } from './service-process.ts';
import type { ConfigStandIn, ServiceSecrets } from './stand-ins.ts';

/** The platform's durations, shortened alike; the real ones differ only in patience. Milliseconds. */
export const times = {
  ackWindow: 3_000,
  connectBudget: 1_500,
  databaseConnect: 5_000,
  timerDelay: 5_500,
  shardLease: 2_000,
  dispatchWindow: 25_000,
  auditDelay: 27_000,
};
/**
 * For suites that CI runs beside other work: windows that are long enough for receivers on a busy machine. A case that waits for the end of
 * a window starts that process with a shorter one. Leases stay short, because a successor of a killed process waits for them.
 */
export const patientTimes: typeof times = {
  ackWindow: 60_000,
  connectBudget: 20_000,
  databaseConnect: 120_000,
  timerDelay: 90_000,
  shardLease: 2_000,
  dispatchWindow: 240_000,
  auditDelay: 250_000,
};
/** Upper limit of waits: enough for a takeover, a second attempt with its window, and the timers, on a busy machine. */
export const patienceMs = 240_000;

export interface FaultPlatformOptions {
  /** Default: 2. */
  dispatchers?: number;
  /** The transport of the events. Default: the log in PostgreSQL. */
  events?: 'kafka' | 'postgres';
  times?: Partial<typeof times>;
  /** More settings of the dispatchers. */
  dispatcherEnv?: Record<string, string>;
  /** More settings of every service. */
  env?: Record<string, string>;
  /** Folders of database servers and of Kafka, when they are to lie somewhere else. */
  dataFolders?: Partial<Record<keyof FaultDatabases | 'kafka', string>>;
}

export type FaultDatabases = {
  dispatcher: DatabaseServer;
  scheduler: DatabaseServer;
  /** The simulator's database and the event log. */
  others: DatabaseServer;
};

/** Every connection that can be cut, stalled or held. */
export interface FaultWays {
  /** From each dispatcher to its database. */
  dispatcherDatabase: TcpProxy[];
  /** From each dispatcher to the event log; empty with Kafka, because clients connect to the addresses that brokers announce. */
  dispatcherEvents: TcpProxy[];
  /** From each scheduler to its database. */
  schedulerDatabase: TcpProxy[];
  /** Calls of the dispatchers to the schedulers. */
  toScheduler: CallProxy;
  toDispatcher: CallProxy;
}

/** Environment of the service processes. */
export interface FaultWorld {
  folder: string;
  options: FaultPlatformOptions;
  secrets: ServiceSecrets;
  databases: FaultDatabases;
  events: EventLogServer;
  config: ConfigStandIn;
  identities: TestIdentityIssuer;
  ways: FaultWays;
}

/** The processes of the platform under test, with their settings. */
export class FaultServices {
  readonly dispatchers: ServiceProcess[];
  readonly schedulers: ServiceProcess[];
  readonly simulator: ServiceProcess;
  private configuration: ServiceProcess | undefined;
  private readonly times: typeof times;
  private readonly logFolder: string;

  constructor(private readonly world: FaultWorld) {
    this.times = { ...times, ...world.options.times };
    this.logFolder = join(world.folder, 'logs');
    mkdirSync(this.logFolder);
    const { ways } = world;
    this.simulator = this.process('payment-simulator', 0, this.simulatorEnv());
    this.dispatchers = ways.dispatcherDatabase.map((_, at) => this.process('webhook-dispatcher', at, this.dispatcherEnv(at)));
    this.schedulers = ways.schedulerDatabase.map((_, at) => this.process('reversal-scheduler', at, this.schedulerEnv(at)));
  }

  get all(): ServiceProcess[] {
    return [this.simulator, ...this.dispatchers, ...this.schedulers, ...(this.configuration ? [this.configuration] : [])];
  }

  /** The real notification-config beside its stand-in, for cases about what it refuses. */
  async startConfiguration(): Promise<ServiceProcess> {
    const { databases, secrets } = this.world;
    const DATABASE_URL = databases.others.urlOf('configuration');
    const outbound = { KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys, OUTBOUND_ALLOW: '127.0.0.0/8,::1/128' };
    this.configuration ??= this.process('notification-config', 0, { ...this.commonEnv(), DATABASE_URL, ...outbound });
    await this.configuration.start();
    return this.configuration;
  }

  /** Starts whatever does not run. */
  async start(): Promise<void> {
    // Replicas of one service migrate one after the other anyway, so starting the first one alone avoids waits.
    await Promise.all([this.simulator.start(), this.dispatchers[0]?.start(), this.schedulers[0]?.start()]);
    await Promise.all(this.all.map(service => service.start()));
  }

  /** Internal base URLs of the replicas that run and are not paused. */
  serving(app: string): string[] {
    return this.all.filter(service => service.options.app === app && service.isServing).map(service => service.internalUrl);
  }

  /** Name of the dispatcher whose requests come from this address. */
  nameOf(source: string): string {
    return this.dispatchers.find((_, at) => sourceOf(at) === source)?.name ?? source;
  }

  private process(app: ServiceName, at: number, own: Record<string, string>): ServiceProcess {
    const env = { ...this.world.secrets.tokenKeys.env(app), ...own };
    const databases = Object.entries(env).filter(([key]) => key.endsWith('DATABASE_URL'));
    const patient = Object.fromEntries(databases.map(([key, url]) => [key, this.patient(url)]));
    return new ServiceProcess({ app, name: `${app}-${at + 1}`, logFolder: this.logFolder, env: { ...env, ...patient } });
  }

  /** URL of the same database, with the suite's time limit for connecting. */
  private patient(url: string): string {
    const patient = new URL(url);
    patient.searchParams.set('connect_timeout', String(this.times.databaseConnect / 1_000));
    return patient.href;
  }

  private commonEnv(): Record<string, string> {
    const { events, identities, config, options } = this.world;
    return {
      PAYCODE_ENVIRONMENT: 'sandbox',
      AUTH_SESSION_URL: identities.url,
      NOTIFICATION_CONFIG_URL: config.url,
      DATABASE_POOL_MAX: '8',
      ...events.env,
      ...options.env,
    };
  }

  private simulatorEnv(): Record<string, string> {
    const { databases, secrets } = this.world;
    return { ...this.commonEnv(), DATABASE_URL: databases.others.urlOf('simulator'), PAYLOAD_KEYS: secrets.payloadKeys };
  }

  private dispatcherEnv(at: number): Record<string, string> {
    const { times } = this;
    const { ways, databases, secrets, options } = this.world;
    const common = this.commonEnv();
    const events = ways.dispatcherEvents[at]?.urlOf(common['EVENTS_DATABASE_URL']!);
    return {
      ...common,
      ...(events && { EVENTS_DATABASE_URL: events }),
      DATABASE_URL: ways.dispatcherDatabase[at]!.urlOf(databases.dispatcher.urlOf('dispatcher')),
      REVERSAL_SCHEDULER_URL: ways.toScheduler.url,
      PAYLOAD_KEYS: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS: secrets.keyEncryptionKeys,
      OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
      ACK_WINDOW_MS: String(times.ackWindow),
      CONNECT_BUDGET_MS: String(times.connectBudget),
      DISPATCH_WINDOW_MS: String(times.dispatchWindow),
      DISPATCHER_SHARD_LEASE_MS: String(times.shardLease),
      OUTBOUND_SOURCE_ADDRESSES: sourceOf(at),
      ...options.dispatcherEnv,
    };
  }

  private schedulerEnv(at: number): Record<string, string> {
    const { ways, databases } = this.world;
    return {
      ...this.commonEnv(),
      DATABASE_URL: ways.schedulerDatabase[at]!.urlOf(databases.scheduler.urlOf('scheduler')),
      WEBHOOK_DISPATCHER_URL: ways.toDispatcher.url,
      TIMER_DELAY_MS: String(this.times.timerDelay),
      SCHEDULER_SHARD_LEASE_MS: String(this.times.shardLease),
      AUDIT_DELAY_MS: String(this.times.auditDelay),
    };
  }
}

/** Each dispatcher sends from an address of its own, so that a receiver knows which it was. */
const sourceOf = (at: number) => `127.0.1.${at + 1}`;
