import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { readCallerTls } from '../../../libs/platform-client/src/http/mutual-tls';
import { PlatformConnection } from '../../../libs/platform-client/src/platform-connection';
import { parseAllDocuments } from 'yaml';
import { GuideKafka, GuidePostgres } from '../../prove/guide/data-services';
import type { Resource, Secret } from '../../prove/guide/pod';
import { writePages } from '../docs/page';
import { generatedManifests } from '../manifests/generated-manifests';
import type { EvaluationGround } from './evaluation-ground';
import { nodeAddress } from './machine-network';
import { overlayOfNode } from './sandbox-overlay';

const root = join(__dirname, '../../..');
/** The host that clients call: a name of this cluster in place of a public one. */
const host = 'api-gateway.paycode.svc.cluster.local';
const postgresPort = 5432;
/** The port that components/managed-kafka allows. */
const kafkaPort = 9096;
const internalPorts = { 'auth-session': 3101, 'notification-config': 3102, 'reversal-scheduler': 3104 };
/** Of operators that this cluster does not have; `npm run test:cluster` applies them. */
const ofOperators = ['PodMonitor', 'PrometheusRule', 'ScaledObject', 'ServiceMonitor', 'TLSRoute', 'TriggerAuthentication'];

/** The sandbox overlay as the guide deploys it; PostgreSQL and Kafka run beside the cluster, on the node, with the users of the manifests. */
export class SandboxGround {
  private constructor(
    readonly ground: EvaluationGround,
    private readonly secretsFolder: string,
    private readonly postgres: GuidePostgres,
    private readonly kafka: GuideKafka,
  ) {}

  static async start(ground: EvaluationGround): Promise<SandboxGround> {
    const folder = join(ground.folder, 'secrets');
    const key = join(ground.folder, 'backup-key');
    writeFileSync(key, 'of a bucket that nobody has');
    const backups = ['access-key-id', 'secret-access-key'].flatMap(name => ['--take', `paycode/backup/${name}=${key}`]);
    paycode('secrets', 'init', '--for', 'sandbox', '--folder', folder, '--host', host, ...backups);
    writePages(generatedManifests());
    const wanted = documentsOf(ground.kubectl('kustomize', join(root, 'k8s/overlays/data-services')));
    const secrets = secretsIn(folder);
    const postgres = await GuidePostgres.start(wanted, secrets, { address: nodeAddress, port: postgresPort });
    const kafka = await GuideKafka.start(wanted, secrets, { address: nodeAddress, port: kafkaPort }).catch(
      async (error: unknown) => {
        await postgres.stop();
        throw error;
      },
    );
    const authorities = Object.entries({ postgres: postgres.ca, kafka: kafka.ca }).flatMap(([name, text]) => {
      writeFileSync(join(ground.folder, `${name}-ca.crt`), text);
      return ['--take', `paycode/shared/${name}-ca-crt=${join(ground.folder, `${name}-ca.crt`)}`];
    });
    paycode('secrets', 'init', '--complete', '--for', 'sandbox', '--folder', folder, ...authorities);
    return new SandboxGround(ground, folder, postgres, kafka);
  }

  async stop(): Promise<void> {
    await Promise.all([this.postgres.stop(), this.kafka.stop()]);
  }

  /** Namespace, secrets and overlay, as step 6 of the guide applies them. Gives the kinds that were left out. */
  apply(): string[] {
    const { ground } = this;
    ground.apply(...outside('postgres', 'paycode-rw', [postgresPort, postgresPort]));
    ground.apply(...outside('kafka', 'paycode-kafka-bootstrap', [9093, kafkaPort]));
    ground.kubectl('apply', '-f', join(root, 'k8s/base/namespace.yaml'));
    ground.apply(...secretsIn(this.secretsFolder).filter(isOfServices).map(patient));
    const manifests = join(ground.folder, 'k8s');
    cpSync(join(root, 'k8s'), manifests, { recursive: true });
    const own = join(manifests, 'overlays/own');
    mkdirSync(own);
    const overlay = readFileSync(join(manifests, 'overlays/sandbox/kustomization.yaml'), 'utf8');
    writeFileSync(join(own, 'kustomization.yaml'), JSON.stringify(overlayOfNode(overlay, ground.node)));
    const all = documentsOf(ground.kubectl('kustomize', own));
    ground.apply(...all.filter(({ kind }) => !ofOperators.includes(kind)));
    ground.inPaycode('scale', 'deployment/webhook-dispatcher', '--current-replicas=1', '--replicas=2');
    return [...new Set(all.map(({ kind }) => kind).filter(kind => ofOperators.includes(kind)))].sort();
  }

  /** Migrations are done and every service is available, as the guide waits for them. */
  async isUp(): Promise<void> {
    const { plane } = this.ground;
    const wait = (...words: string[]) => plane.beside('kubectl', ['-n', 'paycode', 'wait', ...words]);
    const jobs = ['--for=condition=complete', 'job', '-l', 'app.kubernetes.io/component=migrations', '--timeout=280s'];
    const available = ['--for=condition=available', 'deployment', '--all', '--timeout=280s'];
    // On a busy machine connections time out, and pods are started again after their back-off.
    for (const words of [jobs, available])
      await eventually(async () => expect(await wait(...words)).toMatchObject({ status: 0 }), 600_000);
    await this.ground.isAllReady();
  }

  /** The role that the URL of each service's Secret names. */
  rolesOfSecrets(): string[] {
    const urls = secretsIn(this.secretsFolder)
      .filter(secret => isOfServices(secret) && !secret.metadata.name.endsWith('-schema-owner'))
      .flatMap(({ stringData }) => stringData['DATABASE_URL'] ?? []);
    return urls.map(url => new URL(url).username).sort();
  }

  /** The roles that are connected over TLS, but for the test's own. */
  async rolesConnected(): Promise<string[]> {
    return (await this.postgres.connected()).filter(name => name.startsWith('paycode_'));
  }

  /** As an operator whose token was issued by name, and as clients that know the sandbox's authority. */
  connection(): PlatformConnection {
    const own = join(this.ground.folder, 'operator');
    mkdirSync(own, { recursive: true });
    const file = (name: string) => join(own, name);
    const kept = (name: string) => join(this.secretsFolder, name);
    const words = ['--subject', 'node-test', '--hours', '8', '--key-file', kept('keep/token-keys/operator.pem')];
    writeFileSync(file('operator.token'), paycode('operators', 'issue', ...words).trim(), { mode: 0o600 });
    const internal = Object.fromEntries(Object.entries(internalPorts).map(([name, port]) => [name, `https://${name}:${port}`]));
    const facts = { baseUrl: `https://${host}`, caFile: kept('keep/gateway-ca.crt'), operatorTokenFile: file('operator.token') };
    writeFileSync(file('standalone.json'), JSON.stringify({ ...facts, internal, accounts: [], merchants: [], processes: {} }));
    const stored = (name: string) => kept(`store/paycode/operator/mutual-tls-${name}`);
    return new PlatformConnection(
      own,
      readCallerTls({ certFile: stored('crt'), keyFile: stored('key'), caFile: kept('keep/internal-ca.crt') }),
    );
  }
}

function paycode(...words: string[]): string {
  return execFileSync(process.execPath, ['tools/run.cjs', 'operate/paycode', ...words], { cwd: root, encoding: 'utf8' });
}

function secretsIn(folder: string): Secret[] {
  const files = readdirSync(join(folder, 'kubernetes')).map(name => join(folder, 'kubernetes', name));
  return files.flatMap(file => documentsOf(readFileSync(file, 'utf8')) as Secret[]);
}

function isOfServices({ metadata }: Secret): boolean {
  return metadata.namespace === 'paycode';
}

/** Everything starts at once on one machine, and a service that waits in vain for a connection ends. */
function patient(secret: Secret): Secret {
  const { DATABASE_URL: url } = secret.stringData;
  return url ? { ...secret, stringData: { ...secret.stringData, DATABASE_URL: `${url}&connect_timeout=120` } } : secret;
}

/** As kubectl reads it: modes of files are octal. */
function documentsOf(text: string): Resource[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map(document => document.toJS() as Resource)
    .filter(Boolean);
}

/** A Service without pods, whose name in the settings of the overlay leads to a server of the node. */
function outside(namespace: string, name: string, [port, targetPort]: [number, number]): object[] {
  const metadata = { name, namespace };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { 'paycode.dev/provides': namespace } } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'server', port, targetPort }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: 'server', port: targetPort, protocol: 'TCP' }],
      endpoints: [{ addresses: [nodeAddress], conditions: { ready: true } }],
    },
  ];
}
