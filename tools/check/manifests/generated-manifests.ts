import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { coreManifests, externalSecret, kafkaPasswords, kafkaTopics, kafkaUsers, paymentCores } from '../../run/kafka/strimzi.ts';
import type { Page } from '../docs/page.ts';

const root = join(import.meta.dirname, '../../..');
const catalog = 'libs/dto/src/events';
const table = 'tools/check/manifests/generated-manifests.ts';
type Manifest = [path: string, source: string, resources: object[]];

/** Every manifest that has another source: PrometheusRules, Strimzi topics and users, and what each service has alike. */
export function generatedManifests(): Page[] {
  const files: Manifest[] = [
    ...alertRules(),
    ['k8s/components/kafka-strimzi/topics.yaml', catalog, kafkaTopics()],
    ['k8s/components/kafka-strimzi/users.yaml', catalog, kafkaUsers()],
    ['k8s/components/kafka-strimzi/passwords.yaml', catalog, kafkaPasswords()],
    ['k8s/components/external-secrets/external-secrets.yaml', table, serviceSecrets()],
    ['k8s/components/postgres-cnpg/databases.yaml', table, databases()],
    ...paymentCores.flatMap(core =>
      Object.entries(coreManifests(core)).map(([name, resources]): Manifest => [
        `k8s/components/${core}-kafka/${name}.yaml`,
        catalog,
        resources,
      ]),
    ),
  ];
  const job = 'k8s/base/payment-simulator/migration/job.yaml';
  const jobs = { path: 'k8s/components/migrations/jobs/jobs.yaml', text: headed(job, migrationJobs(readText(job))) };
  return [jobs, ...files.map(([path, source, resources]) => ({ path, text: textOf(source, resources) }))];
}

/** PrometheusRules of the alert files beside them. */
function alertRules(): Manifest[] {
  return [
    [
      'k8s/components/monitoring/prometheus-rule.yaml',
      'k8s/charts/paycode/alerts',
      [
        rule('paycode', read('k8s/charts/paycode/alerts/paycode.yaml')),
        rule('paycode-service-levels', read('k8s/charts/paycode/alerts/service-levels.yaml')),
      ],
    ],
    ...[
      ['keda', 'keda', 'paycode'],
      ['postgres-cnpg', 'postgres', 'postgres'],
      ['kafka-strimzi', 'kafka', 'kafka'],
    ].map(([component, name, namespace]): Manifest => {
      const folder = `k8s/components/${component}`;
      const groups = read(`${folder}/alerts/${name}.yaml`);
      return [`${folder}/prometheus-rule.yaml`, `alerts/${name}.yaml`, [rule(`paycode-${name}`, groups, namespace)]];
    }),
  ];
}

function read(path: string): unknown {
  return parse(readText(path));
}

function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function rule(name: string, groups: unknown, namespace = 'paycode'): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, namespace },
    spec: groups,
  };
}

function textOf(source: string, resources: object[]): string {
  const documents = resources.map(resource => stringify(resource, { lineWidth: 0 }));
  return headed(source, documents.join('---\n'));
}

function headed(source: string, text: string): string {
  return `# Generated from ${source} by npm run generate.\n${text}`;
}

interface Needs {
  /** A role beside the owner of the schema, which only reads and writes rows. Without it the service is the owner: it creates and drops partitions. */
  rowsRole?: true;
  kafka?: true;
  /** Keys of its Secret beside those of every service, with their entries in the store. */
  keys?: Record<string, string>;
}

const payloadKeys = { PAYLOAD_KEYS: 'shared/payload-keys' };
const webhookKeys = { KEY_ENCRYPTION_KEYS: 'shared/webhook-key-encryption-keys' };
/** The services of `k8s/base` with a database. */
const services: Record<string, Needs> = {
  'auth-session': {
    rowsRole: true,
    keys: {
      PORTAL_DATABASE_URL: 'auth-session/portal-database-url',
      PASSWORD_PEPPERS: 'auth-session/password-peppers',
      KEY_ENCRYPTION_KEYS: 'auth-session/key-encryption-keys',
    },
  },
  'notification-config': { rowsRole: true, keys: webhookKeys },
  portal: { rowsRole: true, kafka: true, keys: { ...payloadKeys, KEY_ENCRYPTION_KEYS: 'portal/key-encryption-keys' } },
  'recipient-messages': { rowsRole: true, kafka: true, keys: payloadKeys },
  'reversal-scheduler': { kafka: true },
  'webhook-dispatcher': { kafka: true, keys: { ...payloadKeys, ...webhookKeys } },
};
const names = Object.keys(services);

/** Where the secrets of the base's services come from, in namespace `paycode`. */
function serviceSecrets(): object[] {
  const secret = (name: string, entries: Record<string, string>, more = {}) =>
    externalSecret({ name: `paycode-${name}`, namespace: 'paycode', entries, ...more });
  return [
    secret('api-gateway', identityOf('api-gateway')),
    ...Object.entries(services).flatMap(([name, { kafka, keys }]) => [
      secret(name, { DATABASE_URL: `${name}/database-url`, ...identityOf(name), ...keys }),
      secret(`${name}-schema-owner`, { DATABASE_URL: `${name}/schema-owner-database-url` }),
      ...(kafka ? [secret(`${name}-kafka`, { password: `${name}/kafka-password` })] : []),
    ]),
    secret(
      'gateway-tls',
      { 'tls.crt': 'api-gateway/tls-crt', 'tls.key': 'api-gateway/tls-key' },
      { template: { type: 'kubernetes.io/tls' } },
    ),
    secret('kafka-ca', { 'ca.crt': 'shared/kafka-ca-crt' }),
    secret('postgres-ca', { 'ca.crt': 'shared/postgres-ca-crt' }),
    secret(
      'token-keys',
      {
        'service-public-keys.json': 'shared/service-public-keys',
        'operator-public-keys.json': 'shared/operator-public-keys',
        'operator-revocations.json': 'shared/operator-revocations',
        'internal-ca.crt': 'shared/internal-ca-crt',
      },
      // Nothing in it is secret. The short interval ensures that a revoked operator token does not work for another hour.
      { refreshInterval: '1m0s' },
    ),
  ];
}

function identityOf(service: string): Record<string, string> {
  return {
    SERVICE_TOKEN_PRIVATE_KEY: `${service}/service-token-private-key`,
    MUTUAL_TLS_CERT: `${service}/mutual-tls-crt`,
    MUTUAL_TLS_KEY: `${service}/mutual-tls-key`,
  };
}

/** The Jobs that migrate, as text. `job`: that of the payment simulator, which differs from the others by its name alone. */
function migrationJobs(job: string): string {
  const jobs = Object.entries(services).map(([name, { rowsRole }]) => {
    const own = rowsRole ? job : job.replace(/^.*DATABASE_SERVICE_ROLE.*\n/m, '');
    return own.replaceAll('payment-simulator', name).replaceAll('payment_simulator', roleOf(name).replace('paycode_', ''));
  });
  return jobs.join('---\n');
}

/** A database per service (no service reads another's tables), and the passwords of its roles, in namespace `postgres`. */
function databases(): object[] {
  return [...names, 'payment-simulator'].flatMap(name => [
    {
      apiVersion: 'postgresql.cnpg.io/v1',
      kind: 'Database',
      metadata: { name, namespace: 'postgres' },
      spec: {
        cluster: { name: 'paycode' },
        name: roleOf(name),
        owner: `${roleOf(name)}_owner`,
        ensure: 'present',
        databaseReclaimPolicy: 'retain',
      },
    },
    rolePassword(`${name}-schema-owner`, `${roleOf(name)}_owner`, `${name}/schema-owner-database-password`),
    ...((services[name]?.rowsRole ?? name === 'payment-simulator')
      ? [rolePassword(name, roleOf(name), `${name}/database-password`)]
      : []),
  ]);
}

function roleOf(service: string): string {
  return `paycode_${service.replaceAll('-', '_')}`;
}

function rolePassword(name: string, username: string, entry: string): object {
  const template = {
    type: 'kubernetes.io/basic-auth',
    // The operator sets a changed password at once.
    metadata: { labels: { 'cnpg.io/reload': 'true' } },
    data: { username, password: '{{ .password }}' },
  };
  return externalSecret({ name, namespace: 'postgres', entries: { password: entry }, template });
}
