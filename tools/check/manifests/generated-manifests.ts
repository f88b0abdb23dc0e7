import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parse, stringify } from 'yaml';
import { coreManifests, kafkaPasswords, kafkaTopics, kafkaUsers, paymentCores, type TopicsFile, withoutCore } from './strimzi.ts';

/** Text of every manifest that has another source, by its path in `root`: PrometheusRules, Strimzi topics and users. */
export async function generatedManifests(root: string): Promise<Map<string, string>> {
  const read = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'));
  const topics = read('docs/reference/topics.yaml') as TopicsFile;
  const files: [path: string, source: string, resources: object[]][] = [
    ...alertRules(read),
    ['k8s/components/kafka-strimzi/topics.yaml', 'docs/reference/topics.yaml', kafkaTopics(withoutCore(topics))],
    ['k8s/components/kafka-strimzi/users.yaml', 'docs/reference/topics.yaml', kafkaUsers(topics)],
    ['k8s/components/kafka-strimzi/passwords.yaml', 'docs/reference/topics.yaml', kafkaPasswords(topics)],
    ...paymentCores.flatMap(core =>
      Object.entries(coreManifests(topics, core)).map(([name, resources]): [string, string, object[]] => [
        `k8s/components/${core}-kafka/${name}.yaml`,
        'docs/reference/topics.yaml',
        resources,
      ]),
    ),
  ];
  const style = await resolveConfig(join(root, 'k8s/manifest.yaml'));
  const texts = files.map(async ([path, source, resources]): Promise<[string, string]> => {
    return [path, await format(textOf(source, resources), { ...style, parser: 'yaml' })];
  });
  return new Map(await Promise.all(texts));
}

/** PrometheusRules of the alert files beside them. */
function alertRules(read: (path: string) => unknown): [path: string, source: string, resources: object[]][] {
  return [
    [
      'k8s/components/monitoring/prometheus-rule.yaml',
      'alerts/paycode.yaml and alerts/service-levels.yaml',
      [
        rule('paycode', read('k8s/components/monitoring/alerts/paycode.yaml')),
        rule('paycode-service-levels', read('k8s/components/monitoring/alerts/service-levels.yaml')),
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
  return `# Generated from ${source} by npm run manifests:generate.\n${documents.join('---\n')}`;
}
