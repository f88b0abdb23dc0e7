import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import { PlatformConnection, type Standalone } from '@paycode/platform-client';
import { PlatformProcess } from './platform-process';
import { ServiceEndpoint } from './service-endpoint';

export const serviceNames = [
  'auth-session',
  'notification-config',
  'reversal-scheduler',
  'recipient-messages',
  'webhook-dispatcher',
  'payment-simulator',
  'api-gateway',
] as const;
export type ServiceName = (typeof serviceNames)[number];

type Environment = Record<string, string>;

/**
 * The replicas take over the settings of standalone, which closes idle connections at once, because its clients have no other replica. Here
 * clients move to another replica, and on a busy machine they release a connection later than after their half second.
 */
const patientStop: Environment = { SHUTDOWN_LINGER_MS: '5000' };

/** One process of a service. */
export class Replica {
  readonly exited: Promise<number | null>;
  hasExited = false;

  constructor(
    readonly ports: { internal: number; public: number },
    private readonly child: ChildProcess,
  ) {
    child.channel?.unref();
    this.exited = new Promise(resolve =>
      child.once('exit', code => {
        this.hasExited = true;
        resolve(code);
      }),
    );
  }

  /** SIGTERM; gives the exit code (null: it was killed). */
  stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.exited;
  }
}

/** The services of a platform, each behind its own address, so that replicas can start and stop as in a cluster. */
export class ReplicatedPlatform {
  connection!: PlatformConnection;
  private readonly environments = new Map<ServiceName, Environment>();
  private readonly endpoints = new Map<ServiceName, { internal: ServiceEndpoint; public: ServiceEndpoint }>();
  private readonly replicas = new Map<ServiceName, Replica[]>();

  private constructor(
    private readonly folder: string,
    private readonly extra: Environment,
  ) {}

  /** Starts one replica of each. `extra`: settings that differ from those of the standalone platform, which makes the rest. */
  static async start(folder: string, extra: Environment = {}): Promise<ReplicatedPlatform> {
    const platform = new ReplicatedPlatform(folder, extra);
    await platform.learn();
    for (const name of serviceNames)
      platform.endpoints.set(name, { internal: await ServiceEndpoint.open(), public: await ServiceEndpoint.open() });
    platform.publish();
    await Promise.all(serviceNames.map(name => platform.add(name)));
    return platform;
  }

  async stop(): Promise<void> {
    const running = [...this.replicas.values()].flat();
    await Promise.all(running.map(replica => replica.stop()));
    await Promise.all([...this.endpoints.values()].flatMap(each => [each.internal.close(), each.public.close()]));
  }

  /** Starts a replica and routes traffic to it when it is ready. */
  async add(name: ServiceName): Promise<Replica> {
    const ports = { internal: await freePort(), public: await freePort() };
    const logFile = join(this.folder, `${name}.${ports.internal}.log`);
    const log = openSync(logFile, 'a');
    const env = { ...this.environmentOf(name), INTERNAL_PORT: String(ports.internal), PUBLIC_PORT: String(ports.public) };
    // The replica ends with this process, in whatever way this process ends.
    const preload = join(process.cwd(), 'dist/apps/standalone/end-with-parent.preload.cjs');
    const command = ['--require', preload, join('dist/apps', name, 'main.cjs')];
    const replica = new Replica(ports, spawn(process.execPath, command, { env, stdio: ['ignore', log, log, 'ipc'] }));
    await eventually(async () => {
      if (!replica.hasExited) expect((await fetch(`http://127.0.0.1:${ports.internal}/health/ready`)).status).toBe(200);
    }, 240_000);
    if (replica.hasExited) throw new Error(`${name} ended at start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    this.endpoints.get(name)!.internal.add(ports.internal);
    this.endpoints.get(name)!.public.add(ports.public);
    this.replicas.set(name, [...(this.replicas.get(name) ?? []), replica]);
    return replica;
  }

  /** Stops new connections to the replica, as a cluster does first with a terminating pod. SIGTERM follows later. */
  withdraw(name: ServiceName, replica: Replica): void {
    this.endpoints.get(name)!.internal.remove(replica.ports.internal);
    this.endpoints.get(name)!.public.remove(replica.ports.public);
    this.replicas.set(
      name,
      this.replicas.get(name)!.filter(each => each !== replica),
    );
  }

  /** Lines of all replicas of a service that contain the text. */
  logged(name: ServiceName, text: string): string[] {
    const files = readdirSync(this.folder).filter(file => file.startsWith(`${name}.`));
    const lines = files.flatMap(file => readFileSync(join(this.folder, file), 'utf8').split('\n'));
    return lines.filter(line => line.includes(text));
  }

  replicasOf(name: ServiceName): readonly Replica[] {
    return this.replicas.get(name)!;
  }

  /** Lets the standalone platform make databases, secrets, certificate and accounts, and takes over what it gave to each service. */
  private async learn(): Promise<void> {
    const home = join(this.folder, 'home');
    const database = new URL(process.env['PAYCODE_TEST_DATABASE_URL']!);
    database.searchParams.set('connect_timeout', '120');
    const env = { DATABASE_URL: database.href, EVENTS_TRANSPORT: undefined };
    const standalone = await new PlatformProcess({ home, env, args: ['--fresh'] }).untilReady();
    const { processes } = JSON.parse(readFileSync(join(home, 'standalone.json'), 'utf8')) as Standalone;
    for (const name of serviceNames) this.environments.set(name, environmentOf(processes[name]!));
    await standalone.stop();
  }

  /** Every address in the environment of a service is that of the endpoint. */
  private environmentOf(name: ServiceName): Environment {
    const addresses = serviceNames.flatMap(each => {
      const key = each.toUpperCase().replace('-', '_');
      const { internal, public: open } = this.endpoints.get(each)!;
      const urls = {
        [`${key}_URL`]: `http://127.0.0.1:${internal.port}`,
        [`${key}_PUBLIC_URL`]: `http://127.0.0.1:${open.port}`,
      };
      return Object.entries(urls);
    });
    return { ...this.environments.get(name)!, ...Object.fromEntries(addresses), ...patientStop, ...this.extra };
  }

  private publish(): void {
    const file = join(this.folder, 'home/standalone.json');
    const facts = JSON.parse(readFileSync(file, 'utf8')) as Standalone;
    facts.baseUrl = `https://localhost:${this.endpoints.get('api-gateway')!.public.port}`;
    for (const [name, { internal }] of this.endpoints) facts.internal[name] = `http://127.0.0.1:${internal.port}`;
    writeFileSync(file, JSON.stringify(facts));
    this.connection = new PlatformConnection(join(this.folder, 'home'));
  }
}

function environmentOf(pid: number): Environment {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
