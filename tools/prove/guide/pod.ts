import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, isAbsolute, join } from 'node:path';
import { replaceFile } from '../../../libs/access/src/service-token/token-keys';
import type { GuideCluster } from './guide-cluster';

/** A document of the manifests. */
export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  [field: string]: unknown;
}
export interface Secret extends Resource {
  stringData: Record<string, string>;
}
interface Variable {
  name: string;
  value?: string;
  valueFrom?: { fieldRef: { fieldPath: string } };
}
interface Items {
  items?: { key: string; path: string }[];
}
export interface PodSpec {
  containers: {
    image: string;
    command?: string[];
    args?: string[];
    env?: Variable[];
    envFrom?: { configMapRef: { name: string } }[];
    volumeMounts: { name: string; mountPath: string }[];
  }[];
  volumes: {
    name: string;
    secret?: { secretName: string } & Items;
    projected?: { sources: { secret: { name: string } & Items }[] };
  }[];
}

/** Where the names and ports of the cluster are on this machine. */
type Addresses = ReadonlyMap<string, string>;

export interface Cluster {
  resources: readonly Resource[];
  secrets: readonly Secret[];
  addresses: Addresses;
}

/**
 * Does what a kubelet does before it starts a container: writes the Secrets of the volumes into `folder`, and returns the environment of the
 * process. Paths of mounts and addresses of the cluster are replaced by those of this machine; nothing else is.
 */
export function preparePod(spec: PodSpec, { resources, secrets, addresses }: Cluster, folder: string): Record<string, string> {
  const [container] = spec.containers;
  for (const { name, mountPath } of container!.volumeMounts) {
    const volume = spec.volumes.find(each => each.name === name)!;
    for (const source of sourcesOf(volume)) mount(join(folder, mountPath), source, secrets);
  }
  writeAddresses(folder, spec, addresses);
  const maps = (container!.envFrom ?? []).map(({ configMapRef }) => {
    const map = resources.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    return map!['data'] as Record<string, string>;
  });
  const own = Object.fromEntries((container!.env ?? []).map(variable => [variable.name, valueOf(variable)]));
  const given = Object.entries<string>(Object.assign({}, ...maps, own) as Record<string, string>);
  return Object.fromEntries(
    given.map(([name, value]) => [name, localized(value, addresses).replaceAll('/etc/paycode/', `${folder}/etc/paycode/`)]),
  );
}

/** Each process that starts is a pod of its own. */
function valueOf({ name, value, valueFrom }: Variable): string {
  if (value !== undefined) return value;
  if (valueFrom?.fieldRef.fieldPath === 'metadata.uid') return randomUUID();
  throw new Error(`a pod cannot start: its ${name} has neither a value nor the uid of the pod`);
}

/** Text with the cluster's addresses replaced. */
export function localized(text: string, addresses: Addresses): string {
  return [...addresses].reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

type Source = { name: string } & Items;

function sourcesOf({ secret, projected }: PodSpec['volumes'][number]): Source[] {
  if (secret) return [{ ...secret, name: secret.secretName }];
  return (projected?.sources ?? []).map(source => source.secret);
}

function mount(folder: string, { name, items }: Source, secrets: readonly Secret[]): void {
  const secret = secrets.find(({ metadata }) => metadata.namespace === 'paycode' && metadata.name === name);
  if (!secret) throw new Error(`a pod cannot start: the Secret ${name} does not exist`);
  const files = items ?? Object.keys(secret.stringData).map(key => ({ key, path: key }));
  for (const { key, path } of files) {
    const value = secret.stringData[key];
    if (value === undefined) throw new Error(`a pod cannot start: the Secret ${name} has no key ${key}`);
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, value, 0o600);
  }
}

/** A URL in a mounted file has an address of the cluster, too. */
function writeAddresses(folder: string, { volumes, containers }: PodSpec, addresses: Addresses): void {
  if (volumes.length === 0) return;
  for (const { mountPath } of containers[0]!.volumeMounts) {
    const file = join(folder, mountPath, 'DATABASE_URL');
    const url = readIfThere(file);
    if (url !== undefined) writeFileSync(file, `${localized(url, addresses)}&connect_timeout=120`, { mode: 0o600 });
  }
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
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
