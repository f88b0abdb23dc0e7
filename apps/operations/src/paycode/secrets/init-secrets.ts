import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { OperatorError } from '../operator-connection.ts';
import { SecretFolder } from './secret-folder.ts';
import { giverOf, isDatabaseOfCell, SecretValues } from './secret-values.ts';
import { type EnvironmentName, type WantedSecret, wantedSecrets } from './wanted-secrets.ts';

interface InitOptions {
  /** Folder of the manifests. */
  k8s: string;
  environment: EnvironmentName;
  folder: string;
  /** DNS name that clients call; needed for a new folder. */
  host?: string;
  databaseHost?: string;
  /** Folder of the overlay, instead of that of the environment. */
  overlay?: string;
  isCompletion: boolean;
  /** `<entry>=<file>` pairs: values of others. */
  take: readonly string[];
}

/** One value, and where it belongs. */
export interface PlacedSecret {
  secret: string;
  key: string;
  entry: string;
  /** `made`, `kept`, `renewed`, or who has it. */
  state: string;
}

/** Makes the secrets that the overlays of an environment need, in a folder, and says where each belongs. @throws OperatorError */
export async function initSecrets(options: InitOptions): Promise<PlacedSecret[]> {
  const overlay = options.overlay ?? join(options.k8s, 'overlays', options.environment);
  const wanted = wantedSecrets(options.k8s, overlay, options.environment);
  const entries = new Set(wanted.flatMap(secret => secret.entries.map(({ entry }) => entry)));
  const taken = options.take.map(pair => takenValue(pair, entries));
  const folder = folderOf(options);
  const before = new Map([...entries].map(entry => [entry, folder.read(`store/${entry}`)]));
  for (const [entry, value] of taken) folder.write(`store/${entry}`, value);
  const values = await valuesOf(entries, new SecretValues(folder, entries));
  for (const [namespace, text] of kubernetesSecrets(wanted, values)) folder.write(`kubernetes/${namespace}.yaml`, text);
  const stateOf = (entry: string): string => {
    if (!values.has(entry)) return `MISSING, from ${giverOf(entry, options.environment)}`;
    if (before.get(entry) === undefined) return 'made';
    return before.get(entry) === values.get(entry) ? 'kept' : 'renewed';
  };
  return wanted.flatMap(secret => placesOf(secret).map(place => ({ ...place, state: stateOf(place.entry) })));
}

function folderOf({ folder, isCompletion, environment, host, databaseHost }: InitOptions): SecretFolder {
  if (isCompletion) return SecretFolder.open(folder, { environment, host, databaseHost });
  if (!host) throw new OperatorError('--host is missing: the DNS name that clients call');
  return SecretFolder.create(folder, { environment, host, databaseHost: databaseHost ?? 'paycode-rw.postgres' });
}

async function valuesOf(entries: ReadonlySet<string>, source: SecretValues): Promise<Map<string, string>> {
  await source.prepare();
  const values = new Map<string, string>();
  for (const entry of entries) {
    const value = await source.valueOf(entry);
    if (value !== undefined) values.set(entry, value);
  }
  checkPasswords(values);
  return values;
}

/** A URL that was made before its password would lock its service out. */
function checkPasswords(values: ReadonlyMap<string, string>): void {
  for (const [entry, url] of values) {
    if (!entry.endsWith('database-url') || isDatabaseOfCell(entry)) continue;
    const passwords = ['database-password', 'schema-owner-database-password'].map(what =>
      values.get(entry.replace(/[^/]+$/, what)),
    );
    if (!passwords.includes(new URL(url).password))
      throw new OperatorError(`${entry}: its password is none of that service; delete the URL, and --complete makes it again`);
  }
}

function placesOf({ namespace, name, entries }: WantedSecret): { secret: string; key: string; entry: string }[] {
  return entries.map(({ key, entry }) => ({ secret: `${namespace}/${name}`, key, entry }));
}

function takenValue(pair: string, entries: ReadonlySet<string>): [entry: string, value: string] {
  const [entry = '', ...rest] = pair.split('=');
  const file = rest.join('=');
  if (!file) throw new OperatorError(`--take wants <entry>=<file>, not ${pair}`);
  if (!entries.has(entry)) throw new OperatorError(`--take ${pair}: no manifest names the entry ${entry}`);
  if (!existsSync(file)) throw new OperatorError(`--take ${pair}: the file ${file} does not exist`);
  const value = readFileSync(file, 'utf8');
  if (value.trim() === '') throw new OperatorError(`--take ${pair}: the file ${file} is empty`);
  return [entry, value.trim()];
}

/** Secret manifests of each namespace, for clusters without a store; a Secret that lacks a value is left out. */
function kubernetesSecrets(wanted: readonly WantedSecret[], values: ReadonlyMap<string, string>): Map<string, string> {
  const complete = wanted.filter(({ entries }) => entries.every(({ entry }) => values.has(entry)));
  const namespaces = [...new Set(wanted.map(({ namespace }) => namespace))];
  return new Map(
    namespaces.map(namespace => {
      const own = complete.filter(secret => secret.namespace === namespace);
      return [namespace, own.map(secret => stringify(manifestOf(secret, values), { lineWidth: 0 })).join('---\n')];
    }),
  );
}

function manifestOf(
  { namespace, name, type, labels, fixed, entries }: WantedSecret,
  values: ReadonlyMap<string, string>,
): object {
  const data = Object.fromEntries(entries.map(({ key, entry }) => [key, values.get(entry)!]));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/part-of': 'paycode', ...labels } },
    type,
    stringData: { ...fixed, ...data },
  };
}
