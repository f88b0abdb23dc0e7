import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import type pg from 'pg';
import { parseAllDocuments } from 'yaml';
import { GuideKafka, GuidePostgres, postgresName } from './data-services';
import { type Cluster, localized, type PodSpec, preparePod, type Resource, type Secret } from './pod';

const root = join(__dirname, '../../..');
/** On a busy machine a payment takes its time; the windows are tested elsewhere. */
const patience = { ACK_WINDOW_MS: '600000', TIMER_DELAY_MS: '660000' };
const logTailChars = 1_500;
const settles = ['webhook-dispatcher', 'reversal-scheduler'];

interface Outcome {
  status: number;
  output: string;
}

/** A stand-in for a cluster: it plays operators and kubelet with real servers and the real services. */
export class GuideCluster implements Cluster {
  resources: Resource[] = [];
  secrets: Secret[] = [];
  readonly addresses = new Map<string, string>();
  /** Called when every service is ready. */
  onDeployed: () => void = () => undefined;
  private postgres?: GuidePostgres;
  private kafka?: GuideKafka;
  private readonly running = new Map<string, ChildProcess>();

  constructor(private readonly folder: string) {}

  /** Takes the documents of `kubectl apply`; a later one replaces an earlier one. */
  async apply(text: string): Promise<void> {
    const documents = parseAllDocuments(text).map(document => document.toJS() as Resource);
    for (const document of documents.filter(Boolean)) {
      const list: Resource[] = document.kind === 'Secret' ? this.secrets : this.resources;
      const at = list.findIndex(each => keyOf(each) === keyOf(document));
      if (at < 0) list.push(document);
      else list[at] = document;
    }
    if (!documents.some(document => document?.kind === 'Secret')) return;
    await this.postgres?.reconcile(this.resources, this.secrets);
    await this.kafka?.reconcile(this.resources, this.secrets);
    // Mounted Secrets follow, as a kubelet has it.
    for (const name of this.running.keys()) preparePod(this.podOfService(name), this, this.folderOf(name));
  }

  /** PEM text of the authority that Strimzi or CloudNativePG publishes; starts the server first. */
  async authorityOf(provider: 'kafka' | 'postgres'): Promise<string> {
    if (provider === 'kafka') {
      this.kafka ??= await GuideKafka.start(this.resources, this.secrets);
      this.addresses.set('paycode-kafka-bootstrap.kafka:9093', this.kafka.address);
      return this.kafka.ca;
    }
    this.postgres ??= await GuidePostgres.start(this.resources, this.secrets);
    this.addresses.set(`@${postgresName}/`, `@${postgresName}:${this.postgres.port}/`);
    return this.postgres.ca;
  }

  /** Runs the migration Jobs to their end. @throws Error with the output of one that fails */
  async migrate(): Promise<void> {
    for (const { metadata, spec } of this.of('Job')) {
      const pod = podOf(spec);
      const { status, output } = await this.run(metadata.name, { pod, words: [mainOf(pod), ...pod.containers[0]!.args!] });
      if (status !== 0) throw new Error(`${metadata.name} ended with ${status}:\n${output}`);
    }
  }

  /** Starts every service and waits until it is ready. */
  async deploy(): Promise<void> {
    const services = this.of('Deployment').filter(({ metadata }) => metadata.name !== 'ops');
    for (const { metadata } of services) await this.giveAddresses(metadata.name);
    for (const { metadata } of services) this.start(metadata.name);
    for (const { metadata } of services) await this.untilReady(metadata.name);
    this.onDeployed();
  }

  /** Ends the process of a service, and starts one with the Secrets of now. */
  async restart(name: string): Promise<void> {
    await end(this.running.get(name)!);
    this.start(name);
    await this.untilReady(name);
  }

  /** A command in the pod ops, as the image has it. */
  exec([command, ...words]: readonly string[], stdin: string): Promise<Outcome> {
    return this.run('ops', {
      pod: this.podOfService('ops'),
      words: [join(root, `dist/apps/ops/${command}.cjs`), ...words],
      stdin,
    });
  }

  /** The Job that `kubectl create job --from=cronjob/audit` makes. */
  audit(): Promise<Outcome> {
    const job = this.of('CronJob')[0]!.spec as { jobTemplate: { spec: unknown } };
    const pod = podOf(job.jobTemplate.spec);
    return this.run('audit', { pod, words: [join(root, `dist/apps/ops/${pod.containers[0]!.command![0]!}.cjs`)] });
  }

  /** The way to PostgreSQL from outside, with its certificate verified. */
  databaseConnection(url: string): pg.ClientConfig {
    const { username: user, password, pathname } = new URL(url);
    const { port, ca } = this.postgres!;
    return { host: '127.0.0.1', port, user, password, database: pathname.slice(1), ssl: { ca, servername: postgresName } };
  }

  get gatewayPort(): string {
    return this.addresses.get('api-gateway:public')!;
  }

  /** The last lines of every service, for the message of whoever waited in vain. */
  logTails(): string {
    return [...this.running.keys()].map(name => `--- ${name}\n${this.logTail(name)}`).join('\n');
  }

  /** Empty for a service that has not yet written anything. */
  private logTail(name: string): string {
    const log = join(this.folder, `${name}.log`);
    return existsSync(log) ? readFileSync(log, 'utf8').slice(-logTailChars) : '';
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map(end));
    await Promise.all([this.postgres?.stop(), this.kafka?.stop()]);
  }

  private of(kind: string): Resource[] {
    return this.resources.filter(resource => resource.kind === kind);
  }

  private podOfService(name: string): PodSpec {
    const deployment = this.of('Deployment').find(({ metadata }) => metadata.name === name);
    if (!deployment) throw new Error(`there is no Deployment ${name}`);
    return podOf(deployment.spec);
  }

  private folderOf(name: string): string {
    return join(this.folder, 'pods', name);
  }

  private async giveAddresses(name: string): Promise<void> {
    const [internal, open] = [await freePort(), await freePort()];
    const { ports } = this.of('Service').find(({ metadata }) => metadata.name === name)!.spec as {
      ports: { name: string; port: number }[];
    };
    for (const port of ports)
      this.addresses.set(`https://${name}:${port.port}`, `https://${name}:${port.name === 'internal' ? internal : open}`);
    this.addresses.set(`${name}:internal`, String(internal)).set(`${name}:public`, String(open));
  }

  private start(name: string): void {
    const pod = this.podOfService(name);
    const env = {
      ...this.environmentOf(name, pod),
      INTERNAL_PORT: this.addresses.get(`${name}:internal`)!,
      PUBLIC_PORT: this.addresses.get(`${name}:public`)!,
      ...(settles.includes(name) ? patience : {}),
    };
    const child = spawn(process.execPath, [mainOf(pod)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log = join(this.folder, `${name}.log`);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => writeFileSync(log, chunk, { flag: 'a' }));
    this.running.set(name, child);
  }

  private async untilReady(name: string): Promise<void> {
    const port = Number(this.addresses.get(`${name}:internal`));
    await eventually(async () => {
      const status = await statusOf(port);
      if (status === 200) return;
      throw new Error(`${name} is not ready (${status}):\n${this.logTail(name)}`);
    }, 400_000);
  }

  private environmentOf(name: string, pod: PodSpec): Record<string, string> {
    const folder = this.folderOf(name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const env = preparePod(pod, this, folder);
    const names = [postgresName, ...this.of('Service').map(({ metadata }) => metadata.name)];
    return {
      ...env,
      PATH: process.env['PATH']!,
      GUIDE_NAMES: names.join(','),
      NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --require ${join(__dirname, 'cluster-names.cjs')}`,
    };
  }

  private run(name: string, { pod, words, stdin }: { pod: PodSpec; words: readonly string[]; stdin?: string }): Promise<Outcome> {
    const env = this.environmentOf(name, pod);
    return new Promise(resolve => {
      const child = execFile(
        process.execPath,
        words.map(word => localized(word, this.addresses)),
        { env },
        (error, out, err) => resolve({ status: error ? Number(error.code ?? 1) : 0, output: error ? out + err : out }),
      );
      child.stdin!.end(stdin ?? '');
    });
  }
}

function keyOf({ kind, metadata }: Resource): string {
  return `${kind} ${metadata.namespace} ${metadata.name}`;
}

function podOf(spec: unknown): PodSpec {
  return (spec as { template: { spec: PodSpec } }).template.spec;
}

/** The program in the image of the first container: the image has the name of the service, in whatever registry. */
function mainOf(pod: PodSpec): string {
  const name = pod.containers[0]!.image.replace(/^.*\/|@.*$/g, '');
  return join(root, 'dist/apps', name, 'main.cjs');
}

/** As a probe asks: without a certificate of its own, and without a look at the other's. */
function statusOf(port: number): Promise<number> {
  return new Promise(resolve => {
    const asked = request({ host: '127.0.0.1', port, path: '/health/ready', rejectUnauthorized: false, agent: false }, answer => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    asked.on('error', () => resolve(0));
    asked.setTimeout(30_000, () => asked.destroy());
    asked.end();
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
