import type { StandaloneEnv } from '../config/env';
import { type RunningDatabases, startEmbeddedDatabases, useExternalDatabases } from '../database/database-server';
import {
  type AccountWithPassword,
  demoMerchants,
  ensureDemoPeople,
  OperatorClient,
  type PersonWithPassword,
  seedDemoData,
} from '../demo-data/demo-data';
import { emptyHomeFolder, type HomeFolder } from '../home/home-folder';
import { ensureHomeTokenKeys, ensureOperatorToken, ensureSecrets } from '../home/secrets';
import type { ServiceFailure, ServiceSpec } from '../processes/service-process';
import { Supervisor, type SupervisorEvents } from '../processes/supervisor';
import { ensureGatewayCertificate } from '../tls/gateway-certificate';
import { choosePorts, type PlatformPorts } from './ports';
import { type Inspected, internalUrlOf, serviceSpecs } from './services';
import { knownLogins, writeStandaloneFile } from './standalone-file';

export interface PlatformOptions {
  home: HomeFolder;
  env: StandaloneEnv;
  /** Environment the services inherit. */
  inherited: Record<string, string | undefined>;
  appsFolder: string;
  isFresh: boolean;
  /** Services run in this process. */
  isOneProcess: boolean;
  /** Service that a debugger may attach to. */
  inspected?: Inspected | undefined;
  say(line: string): void;
}

/** The platform on this machine: databases, services and their settings. */
export class Platform {
  /** Resolves when the platform cannot continue; the reason is for people. */
  readonly failed: Promise<Error>;
  private fail: (reason: Error) => void = () => undefined;
  private databases: RunningDatabases | undefined;
  private supervisor: Supervisor | undefined;
  private processes: Record<string, number> = {};
  private starting: Promise<PlatformFacts> | undefined;
  private isStopping = false;
  private publish: () => void = () => undefined;

  constructor(private readonly options: PlatformOptions) {
    this.failed = new Promise(resolve => (this.fail = resolve));
  }

  /** Resolves when all services accept traffic and the demo data exists. */
  start(): Promise<PlatformFacts> {
    return (this.starting = this.startAll());
  }

  /** Drains and stops everything it started, also in the middle of a start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.publish = () => undefined;
    await this.supervisor?.stop();
    // The caller of start got the error; this only waits for the end.
    await this.starting?.catch(() => undefined);
    await this.supervisor?.stop();
    await this.databases?.stop();
  }

  /** Ends the services at once; `stop` then goes quickly. */
  kill(): void {
    this.supervisor?.kill();
  }

  private async startAll(): Promise<PlatformFacts> {
    const { home, env, isFresh, inherited, appsFolder, inspected } = this.options;
    const ports = await choosePorts(env.PAYCODE_PORT);
    if (isFresh) emptyHomeFolder(home);
    const [secrets, tokenKeys] = [ensureSecrets(home), ensureHomeTokenKeys(home)];
    const [certificate, databases] = await Promise.all([ensureGatewayCertificate(home.tls, new Date()), this.openDatabases()]);
    if (env.EVENTS_TRANSPORT === 'kafka') await this.openKafka(databases);
    if (this.isStopping) throw new Error('stopped while starting');
    const parts = { appsFolder, home, env, ports, databases, secrets, tokenKeys, certificate, inspected };
    const known = knownLogins(home);
    this.supervisor = this.supervise(serviceSpecs(parts, inherited));
    await this.supervisor.start();
    const operator = new OperatorClient(ensureOperatorToken(home, tokenKeys));
    const [accounts, people] = await Promise.all([
      this.seed(ports, operator, known.accounts),
      ensureDemoPeople({ operator, portalUrl: internalUrlOf(ports, 'portal'), known: known.people }),
    ]);
    const facts = { ports, accounts, people, caFile: certificate.caFile, database: databases.description };
    this.publish = () => writeStandaloneFile(home, { ...facts, merchants: demoMerchants, processes: this.processes });
    this.publish();
    return facts;
  }

  private supervise(specs: ServiceSpec[]): Supervisor {
    const { isOneProcess } = this.options;
    const events: SupervisorEvents = {
      say: line => this.options.say(line),
      processesChanged: pids => {
        this.processes = pids;
        this.publish();
      },
      givenUp: (error: ServiceFailure) => this.fail(error),
    };
    return new Supervisor(specs, events, { isOneProcess });
  }

  private async openKafka(databases: RunningDatabases): Promise<void> {
    const { env, isFresh } = this.options;
    try {
      // Loads the Kafka client only where Kafka is used.
      const { prepareKafka } = await import('../events/prepare-kafka');
      await prepareKafka({ env: { ...env, EVENTS_DATABASE_URL: null }, isFresh, hasNewDatabases: databases.areNew });
    } catch (error) {
      // Otherwise the next start would find databases and treat old events as their own.
      if (databases.areNew) await databases.discard();
      throw error;
    }
  }

  private async openDatabases(): Promise<RunningDatabases> {
    const { home, env, isFresh } = this.options;
    if (env.DATABASE_URL) return (this.databases = await useExternalDatabases(env.DATABASE_URL, isFresh));
    const databases = await startEmbeddedDatabases(home, line => this.options.say(line));
    void databases.lost.then(reason => this.fail(reason));
    return (this.databases = databases);
  }

  private seed(ports: PlatformPorts, operator: OperatorClient, known: AccountWithPassword[]): Promise<AccountWithPassword[]> {
    return seedDemoData({
      operator,
      authSessionUrl: internalUrlOf(ports, 'auth-session'),
      notificationConfigUrl: internalUrlOf(ports, 'notification-config'),
      known,
    });
  }
}

export interface PlatformFacts {
  ports: PlatformPorts;
  accounts: AccountWithPassword[];
  people: readonly PersonWithPassword[];
  caFile: string;
  /** Description of the PostgreSQL server. */
  database: string;
}
