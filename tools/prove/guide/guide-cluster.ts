import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import { isAbsolute, join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { eventually } from '@paycode/service-runtime/testing';
import pg from 'pg';
import { parseAllDocuments } from 'yaml';
import { StartedProcess } from '../testing/own-platform';
import {
  type Cluster,
  GuideKafka,
  GuidePostgres,
  localized,
  type PodSpec,
  postgresName,
  preparePod,
  type Resource,
  type Secret,
} from './data-services';

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
  private readonly running = new Map<string, StartedProcess>();

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
    await Promise.all(services.map(({ metadata }) => this.start(metadata.name)));
    this.onDeployed();
  }

  /** Ends the process of a service, and starts one with the Secrets of now. */
  async restart(name: string): Promise<void> {
    await this.running.get(name)!.stop();
    await this.start(name);
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
    return [...this.running].map(([name, { output }]) => `--- ${name}\n${output.slice(-logTailChars)}`).join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map(each => each.stop()));
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

  /** Resolves when the service is ready. */
  private async start(name: string): Promise<void> {
    const pod = this.podOfService(name);
    const port = this.addresses.get(`${name}:internal`)!;
    const env = {
      ...this.environmentOf(name, pod),
      INTERNAL_PORT: port,
      PUBLIC_PORT: this.addresses.get(`${name}:public`)!,
      ...(settles.includes(name) ? patience : {}),
    };
    const [started] = await StartedProcess.start({ args: [mainOf(pod)], env, ready: /"event":"started"/ });
    this.running.set(name, started);
    await eventually(async () => {
      const status = await statusOf(Number(port));
      if (status !== 200) throw new Error(`${name} is not ready (${status})`);
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

interface Call {
  words: string[];
  folder: string;
  stdin: string;
}
type Command = (call: Call) => Promise<string> | string;

/** Answers what the guide says to kubectl. A command that it does not know fails, so that the page cannot grow past its test. */
export class KubectlServer {
  private readonly server: Server;
  private readonly commands: [pattern: RegExp, command: Command][];

  constructor(private readonly cluster: GuideCluster) {
    this.commands = [
      [/^apply -k /, ({ words, folder }) => this.applyRendered(words[2]!, folder)],
      [/^apply (-f \S+ ?)+$/, ({ words, folder }) => this.applyFiles(words.filter(word => word !== '-f').slice(1), folder)],
      [/^-n paycode scale deployment\/webhook-dispatcher --current-replicas=1 --replicas=2$/, () => ''],
      [/^label namespace \S+ paycode\.dev\/provides=monitoring --overwrite$/, () => ''],
      [/^-n kafka wait --for=condition=Ready (kafka\/paycode|kafkauser --all) /, () => this.authority('kafka')],
      [/^-n postgres wait --for=condition=Ready cluster\/paycode /, () => this.authority('postgres')],
      [
        /^-n (kafka|postgres) get secret (paycode-cluster-ca-cert|paycode-ca) -o jsonpath=\{\.data\.ca\\\.crt\}$/,
        call => this.ca(call),
      ],
      [
        /^-n paycode wait --for=condition=complete job -l app\.kubernetes\.io\/component=migrations /,
        () => this.done(cluster.migrate()),
      ],
      [/^-n paycode wait --for=condition=available deployment --all /, () => this.done(cluster.deploy())],
      [/^-n paycode rollout restart deployment\/[a-z-]+$/, ({ words }) => this.done(cluster.restart(words[4]!.split('/')[1]!))],
      [/^-n paycode rollout status deployment\/[a-z-]+ /, () => ''],
      [/^-n paycode exec -i deploy\/ops -- /, call => this.exec(call)],
    ];
    this.server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        this.answer(JSON.parse(Buffer.concat(chunks).toString()) as Call).then(
          text => outgoing.end(text),
          (error: Error) => outgoing.writeHead(500).end(error.message),
        );
      });
    });
  }

  async listen(socket: string): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(socket, resolve));
  }

  async close(): Promise<void> {
    await new Promise(resolve => this.server.close(resolve));
  }

  private async answer(call: Call): Promise<string> {
    const line = call.words.join(' ');
    const found = this.commands.find(([pattern]) => pattern.test(line));
    if (!found) throw new Error(`the guide says "kubectl ${line}", which its test does not know`);
    return found[1](call);
  }

  private applyRendered(overlay: string, folder: string): Promise<string> {
    const text = execFileSync('/usr/bin/env', ['kubectl', 'kustomize', join(folder, overlay)], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    return this.done(this.cluster.apply(text));
  }

  private applyFiles(files: string[], folder: string): Promise<string> {
    const texts = files.map(file => readFileSync(isAbsolute(file) ? file : join(folder, file), 'utf8'));
    return this.done(this.cluster.apply(texts.join('\n---\n')));
  }

  private async authority(provider: 'kafka' | 'postgres'): Promise<string> {
    await this.cluster.authorityOf(provider);
    return '';
  }

  /** As the API does: in base64. */
  private async ca({ words }: Call): Promise<string> {
    const text = await this.cluster.authorityOf(words[1] as 'kafka' | 'postgres');
    return Buffer.from(text).toString('base64');
  }

  private async exec({ words, stdin }: Call): Promise<string> {
    const { status, output } = await this.cluster.exec(words.slice(words.indexOf('--') + 1), stdin);
    if (status !== 0) throw new Error(output);
    return output;
  }

  private async done(work: Promise<void>): Promise<string> {
    await work;
    return '';
  }
}
