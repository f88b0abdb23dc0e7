import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '@paycode/persistence/embedded';
import pg from 'pg';
import { issueCertificate, newAuthority } from '../../../apps/operations/src/certificates';
import { createCertificates } from '../../run/kafka/certificates';
import { kafkaJars, kafkaVersion } from '../../run/kafka/distribution';
import { KafkaCluster } from '../../run/kafka/kafka-cluster';
import { strimziAccess } from '../../run/kafka/strimzi-access';
import type { Resource, Secret } from './pod';

const run = promisify(execFile);
const nobody = 65_534;
/** Of the broker itself; nobody but this test knows it. */
const admin = { username: 'admin', password: randomBytes(24).toString('base64url') };
const brokerName = 'paycode-broker';
export const postgresName = 'paycode-rw.postgres';
const kafkaName = 'paycode-kafka-bootstrap.kafka';

/** Where pods of a real node reach the servers, in the place of 127.0.0.1. */
export interface Reach {
  address: string;
  port: number;
}

/** PostgreSQL with TLS, and the roles and databases that CloudNativePG makes of the manifests. */
export class GuidePostgres {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly folder: string,
    /** PEM text of its authority. */
    readonly ca: string,
  ) {}

  static async start(resources: readonly Resource[], secrets: readonly Secret[], reach?: Reach): Promise<GuidePostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-guide-postgres-'));
    const authority = await newAuthority('CN=postgres', 1);
    const { certificate, key } = await issueCertificate(authority, { names: [postgresName], days: 1 });
    const [certFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key, { mode: 0o600 });
    if (process.getuid?.() === 0) for (const path of [folder, keyFile]) chownSync(path, nobody, nobody);
    const settings = ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`, ...(reach ? openTo(reach, folder) : [])];
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      port: reach?.port,
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

  /** Names of the users that are connected over TLS. */
  async connected(): Promise<string[]> {
    let names: string[] = [];
    await this.asSuperuser(async client => {
      const { rows } = await client.query<{ name: string }>(
        'select distinct usename as name from pg_stat_activity join pg_stat_ssl using (pid) where ssl order by 1',
      );
      names = rows.map(({ name }) => name);
    });
    return names;
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
    private readonly cluster: KafkaCluster,
    private readonly folder: string,
    private passwords: ReadonlyMap<string, string>,
  ) {}

  static async start(resources: readonly Resource[], secrets: readonly Secret[], reach?: Reach): Promise<GuideKafka> {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-guide-kafka-'));
    mkdirSync(join(folder, 'tls'));
    const { ca, caFile, keystoreFile } = await createCertificates(
      join(folder, 'tls'),
      brokerName,
      reach && [reach.address, kafkaName, '127.0.0.1'],
    );
    const passwords = passwordsOf(resources, secrets);
    const users = [...passwords].map(([username, password]) => ({ username, password }));
    const cluster = await KafkaCluster.start({
      version: kafkaVersion(),
      nodes: [{ client: reach?.port ?? (await freePort()), controller: await freePort() }],
      address: reach?.address,
      folder,
      security: { ca, keystoreFile, truststoreFile: caFile, brokerName, admin, users },
    });
    await cluster.ensureTopics();
    const client = cluster.client('paycode-guide').admin();
    await client.connect();
    await client.createAcls({ acl: strimziAccess() }).finally(() => client.disconnect());
    return new GuideKafka(cluster, folder, passwords);
  }

  get address(): string {
    return this.cluster.brokers[0]!;
  }

  /** PEM text of its authority. */
  get ca(): string {
    return this.cluster.connection().tlsCa!;
  }

  /** Gives each user the password of its Secret, where it has changed, by Kafka's own command. */
  async reconcile(resources: readonly Resource[], secrets: readonly Secret[]): Promise<void> {
    const wanted = passwordsOf(resources, secrets);
    const config = join(this.folder, 'admin.properties');
    writeFileSync(config, adminProperties(join(this.folder, 'tls/ca.pem')));
    for (const [user, password] of wanted) {
      if (this.passwords.get(user) === password) continue;
      const change = [
        '--alter',
        '--entity-type',
        'users',
        '--entity-name',
        user,
        '--add-config',
        `SCRAM-SHA-512=[password=${password}]`,
      ];
      const where = ['--bootstrap-server', this.address, '--command-config', config];
      await run('java', ['-cp', `${await kafkaJars(kafkaVersion())}/*`, 'kafka.admin.ConfigCommand', ...where, ...change]);
    }
    this.passwords = wanted;
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Others than this machine are known by TLS and password only. */
function openTo({ address }: Reach, folder: string): string[] {
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, 'host all all 127.0.0.1/32 scram-sha-256\nhostssl all all all scram-sha-256\n', { mode: 0o644 });
  return [`listen_addresses=127.0.0.1,${address}`, `hba_file=${rules}`];
}

function passwordsOf(resources: readonly Resource[], secrets: readonly Secret[]): Map<string, string> {
  const users = resources.filter(({ kind }) => kind === 'KafkaUser').map(({ metadata }) => metadata.name);
  return new Map(users.map(user => [user, secretOf(secrets, `${user}-password`).stringData['password']!]));
}

function adminProperties(caFile: string): string {
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
