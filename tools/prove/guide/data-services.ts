import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@paycode/persistence/embedded';
import pg from 'pg';
import { issueCertificate, newAuthority } from '../../../apps/operations/src/certificates';
import { replaceFile } from '../../../libs/access/src/service-token/token-keys';
import { kafkaJars, kafkaVersion } from '../../run/kafka/distribution';
import { type SecuredCluster, startSecuredCluster } from '../../run/kafka/secured-cluster';

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

const run = promisify(execFile);
const nobody = 65_534;
export const postgresName = 'paycode-rw.postgres';

/** PostgreSQL with TLS, and the roles and databases that CloudNativePG makes of the manifests. */
export class GuidePostgres {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly folder: string,
    /** PEM text of its authority. */
    readonly ca: string,
  ) {}

  static async start(resources: readonly Resource[], secrets: readonly Secret[]): Promise<GuidePostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-guide-postgres-'));
    const authority = await newAuthority('CN=postgres', 1);
    const { certificate, key } = await issueCertificate(authority, { names: [postgresName], days: 1 });
    const [certFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key, { mode: 0o600 });
    if (process.getuid?.() === 0) for (const path of [folder, keyFile]) chownSync(path, nobody, nobody);
    const settings = ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`];
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      volatile: true,
      settings,
      password: 'superuser',
    });
    const postgres = new GuidePostgres(server, folder, authority.certificate);
    await postgres.reconcile(resources, secrets);
    return postgres;
  }

  get port(): number {
    return this.server.port;
  }

  /** Gives each role of the manifests the password of its Secret, and each database its owner. */
  async reconcile(resources: readonly Resource[], secrets: readonly Secret[]): Promise<void> {
    const { managed } = resources.find(({ kind }) => kind === 'Cluster')!.spec as {
      managed: { roles: { name: string; passwordSecret: { name: string } }[] };
    };
    await this.asSuperuser(async client => {
      const { rows } = await client.query<{ name: string }>(
        'select rolname as name from pg_roles union select datname from pg_database',
      );
      const existing = new Set(rows.map(({ name }) => name));
      for (const { name, passwordSecret } of managed.roles) {
        const { username, password } = secretOf(secrets, passwordSecret.name).stringData;
        if (username !== name) throw new Error(`the Secret ${passwordSecret.name} is of ${username}, not of ${name}`);
        await client.query(`${existing.has(`${name}`) ? 'alter' : 'create'} role ${name} login password '${password}'`);
      }
      for (const { spec } of resources.filter(({ kind }) => kind === 'Database')) {
        const { name, owner } = spec as { name: string; owner: string };
        if (!existing.has(name)) await client.query(`create database ${name} owner ${owner}`);
      }
    });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async asSuperuser(work: (client: pg.Client) => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: this.server.url });
    await client.connect();
    await work(client).finally(() => client.end());
  }
}

/** Kafka with TLS, SCRAM and the authorizer: the users of the manifests, with the passwords of their Secrets and nothing but their rights. */
export class GuideKafka {
  private constructor(
    private readonly secured: SecuredCluster,
    private passwords: ReadonlyMap<string, string>,
  ) {}

  static async start(resources: readonly Resource[], secrets: readonly Secret[]): Promise<GuideKafka> {
    const passwords = passwordsOf(resources, secrets);
    const users = [...passwords].map(([username, password]) => ({ username, password }));
    return new GuideKafka(await startSecuredCluster({ brokers: 1, users }), passwords);
  }

  get address(): string {
    return this.secured.cluster.brokers[0]!;
  }

  /** PEM text of its authority. */
  get ca(): string {
    return this.secured.ca;
  }

  /** Gives each user the password of its Secret, where it has changed, by Kafka's own command. */
  async reconcile(resources: readonly Resource[], secrets: readonly Secret[]): Promise<void> {
    const wanted = passwordsOf(resources, secrets);
    const config = join(dirname(this.secured.caFile), 'admin.properties');
    writeFileSync(config, adminProperties(this.secured), { mode: 0o600 });
    for (const [user, password] of wanted) {
      if (this.passwords.get(user) === password) continue;
      const change = ['--alter', '--entity-type', 'users', '--entity-name', user];
      const added = ['--add-config', `SCRAM-SHA-512=[password=${password}]`];
      const where = ['--bootstrap-server', this.address, '--command-config', config];
      const command = ['-cp', `${await kafkaJars(kafkaVersion())}/*`, 'kafka.admin.ConfigCommand'];
      await run('java', [...command, ...where, ...change, ...added]);
    }
    this.passwords = wanted;
  }

  stop(): Promise<void> {
    return this.secured.close();
  }
}

function passwordsOf(resources: readonly Resource[], secrets: readonly Secret[]): Map<string, string> {
  const users = resources.filter(({ kind }) => kind === 'KafkaUser').map(({ metadata }) => metadata.name);
  return new Map(users.map(user => [user, secretOf(secrets, `${user}-password`).stringData['password']!]));
}

function adminProperties({ admin, caFile }: SecuredCluster): string {
  const login = `username="${admin.username}" password="${admin.password}"`;
  return [
    'security.protocol=SASL_SSL',
    'sasl.mechanism=SCRAM-SHA-512',
    `sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required ${login};`,
    'ssl.truststore.type=PEM',
    `ssl.truststore.location=${caFile}`,
    '',
  ].join('\n');
}

function secretOf(secrets: readonly Secret[], name: string): Secret {
  const secret = secrets.find(({ metadata }) => metadata.namespace !== 'paycode' && metadata.name === name);
  if (!secret) throw new Error(`an operator waits for ever: the Secret ${name} does not exist`);
  return secret;
}
