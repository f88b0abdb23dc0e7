import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../libs/access/src/service-token/token-keys';

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
export type Addresses = ReadonlyMap<string, string>;

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
