import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { coreManifests, kafkaPasswords, kafkaTopics, kafkaUsers, paymentCores } from '../../run/kafka/strimzi.ts';
import type { Page } from '../docs/page.ts';
import { databases, migrationJobs, serviceSecrets } from './service-manifests.ts';

const root = join(import.meta.dirname, '../../..');
const catalog = 'libs/dto/src/events';
const table = 'tools/check/manifests/service-manifests.ts';
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
    [
      'k8s/components/keda/prometheus-rule.yaml',
      'alerts/keda.yaml',
      [rule('paycode-keda', read('k8s/components/keda/alerts/keda.yaml'))],
    ],
    [
      'k8s/components/postgres-cnpg/prometheus-rule.yaml',
      'alerts/postgres.yaml',
      [rule('paycode-postgres', read('k8s/components/postgres-cnpg/alerts/postgres.yaml'), 'postgres')],
    ],
    [
      'k8s/components/kafka-strimzi/prometheus-rule.yaml',
      'alerts/kafka.yaml',
      [rule('paycode-kafka', read('k8s/components/kafka-strimzi/alerts/kafka.yaml'), 'kafka')],
    ],
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
