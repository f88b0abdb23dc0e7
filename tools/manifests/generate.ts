/**
 * Makes the manifests that have another source: PrometheusRules from the alert files, Strimzi topics and users from docs/reference/topics.yaml.
 * `npm run manifests:generate` writes them; the manifest checks fail when one is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { parse, stringify } from 'yaml';
import { kafkaTopics, kafkaUsers, type TopicsFile } from './strimzi.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'));

/** Text of every generated manifest by its path. */
export async function generatedManifests(): Promise<Map<string, string>> {
  const topics = read('docs/reference/topics.yaml') as TopicsFile;
  const files: [path: string, source: string, resources: object[]][] = [
    [
      'k8s/components/monitoring/prometheus-rule.yaml',
      'alerts/paycode.yaml',
      [rule('paycode', read('k8s/components/monitoring/alerts/paycode.yaml'))],
    ],
    [
      'k8s/components/keda/prometheus-rule.yaml',
      'alerts/keda.yaml',
      [rule('paycode-keda', read('k8s/components/keda/alerts/keda.yaml'))],
    ],
    ['k8s/components/kafka-strimzi/topics.yaml', 'docs/reference/topics.yaml', kafkaTopics(topics)],
    ['k8s/components/kafka-strimzi/users.yaml', 'docs/reference/topics.yaml', kafkaUsers(topics)],
  ];
  const style = await resolveConfig(join(root, 'k8s/manifest.yaml'));
  const texts = files.map(async ([path, source, resources]): Promise<[string, string]> => {
    return [path, await format(textOf(source, resources), { ...style, parser: 'yaml' })];
  });
  return new Map(await Promise.all(texts));
}

function rule(name: string, groups: unknown): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, namespace: 'paycode' },
    spec: groups,
  };
}

function textOf(source: string, resources: object[]): string {
  const documents = resources.map(resource => stringify(resource, { lineWidth: 0 }));
  return `# Generated from ${source} by npm run manifests:generate.\n${documents.join('---\n')}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [path, text] of await generatedManifests()) writeFileSync(join(root, path), text);
}
