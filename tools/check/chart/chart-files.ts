/** `npm run generate -- manifests`: writes the Helm chart from the overlays (needs kubectl, which renders them). The manifest checks fail when it is stale. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { Document, isMap, type Pair, type Scalar, YAMLMap } from 'yaml';
import { writePages } from '../docs/page.ts';
import { kustomize } from '../manifests/render.ts';
import { chartTemplates } from './chart-templates.ts';
import { type ChartValue, chartValues, definitions, differingValues, podsText } from './chart-values.ts';

export const chartFolder = 'k8s/charts/paycode';
const made = ' Generated from k8s/overlays by npm run generate -- manifests.';

/** Text of every file of the chart that comes from the overlays, by its path in `root`. Needs kubectl, which renders them. */
export async function chartFiles(root: string): Promise<Map<string, string>> {
  const [sandbox, production] = ['sandbox', 'production'].map(name => kustomize(join(root, 'k8s/overlays', name)));
  const values = chartValues(sandbox!);
  const differing = differingValues([...values], production!);
  const style = await resolveConfig(join(root, 'k8s/manifest.yaml'));
  const pretty = (text: string, parser: string) => format(text, { ...style, parser });
  const files = new Map([...chartTemplates(sandbox!)].map(([name, text]) => [`templates/${name}`, text]));
  files.set('values.yaml', await pretty(valuesText(values), 'yaml'));
  files.set('values-production.yaml', await pretty(valuesText(differing), 'yaml'));
  files.set('values.schema.json', await pretty(JSON.stringify(schemaOf(values)), 'json'));
  files.set('README.md', readme(values));
  return new Map([...files].map(([name, text]) => [`${chartFolder}/${name}`, text]));
}

function valuesText(values: readonly ChartValue[]): string {
  const document = new Document({});
  document.commentBefore = made;
  for (const { path, default: value, text } of values) {
    const keys = path.split('.');
    document.setIn(keys, document.createNode(value));
    commentOn(document, keys, ` ${text}`);
  }
  return document.toString({ lineWidth: 0 });
}

function commentOn(document: Document, keys: readonly string[], comment: string): void {
  const parent = keys.length > 1 ? document.getIn(keys.slice(0, -1)) : document.contents;
  if (!isMap(parent)) throw new Error(`${keys.join('.')} is in no map`);
  const pair = (parent as YAMLMap).items.find(item => keyOf(item) === keys.at(-1))!;
  pair.key = Object.assign(document.createNode(keys.at(-1)) as Scalar, { commentBefore: comment });
}

function keyOf({ key }: Pair): unknown {
  return typeof key === 'string' ? key : (key as Scalar).value;
}

interface ObjectSchema {
  $schema?: string;
  type: 'object';
  additionalProperties: false;
  properties: Record<string, object>;
  definitions?: object;
}

/** Every value may be left out, and none other given. */
function schemaOf(values: readonly ChartValue[]): ObjectSchema {
  const closed = (): ObjectSchema => ({ type: 'object', additionalProperties: false, properties: {} });
  const schema: ObjectSchema = { $schema: 'https://json-schema.org/draft-07/schema#', ...closed() };
  // Helm hands these to every chart.
  schema.properties['global'] = { type: 'object' };
  for (const { path, schema: own, text } of values) {
    const keys = path.split('.');
    let at = schema;
    for (const key of keys.slice(0, -1)) at = (at.properties[key] ??= closed()) as ObjectSchema;
    at.properties[keys.at(-1)!] = { description: text, ...own };
  }
  return { ...schema, definitions };
}

function readme(values: readonly ChartValue[]): string {
  const rows = values.map(({ path, default: value, text }) => `| \`${path}\` | \`${JSON.stringify(value)}\` | ${text} |`);
  return `<!--${made} -->
# Helm chart of Paycode

The same objects as the overlays of [kustomize](../../README.md), for \`helm install\`. The templates, \`values.yaml\`, its schema and this page are generated from \`k8s/overlays\`; a test compares what both render, object by object. Settings stand in the pods' \`env\`, where kustomize has ConfigMaps.

For the prerequisites (operators, Kafka, PostgreSQL, secrets) and the next steps, see [deploy to Kubernetes](../../../docs/how-to/deploy-to-kubernetes.md). The namespace enforces the \`restricted\` pod security standard:

\`\`\`sh
kubectl create namespace paycode
kubectl label namespace paycode pod-security.kubernetes.io/enforce=restricted
helm install paycode k8s/charts/paycode -n paycode -f my-values.yaml
helm test paycode -n paycode
\`\`\`

The pods request 3.8 processors, and 1.9 with one replica of everything: beside the evaluation overlay's PostgreSQL and the pod of \`helm test\` a cluster of two processors is too small.

With an autoscaler the number of dispatchers is its own, so the chart names none, and the first install starts one. Two from the first second, once:

\`\`\`sh
kubectl -n paycode scale deployment/webhook-dispatcher --current-replicas=1 --replicas=2
\`\`\`

Without further values it is a sandbox. For production add \`-f k8s/charts/paycode/values-production.yaml\` before your own file. \`helm package k8s/charts/paycode\` makes the archive that \`helm push\` sends to an OCI registry; in it lies \`values-production.yaml\` too.

\`helm test\` runs a pod that asks every service whether it is ready, over TLS with the platform's own authority, through network policies that exist as long as the test.

No value changes probes or weakens security. Anything else goes into \`extraObjects\`: objects of your own, which may hold template code.

A component of kustomize is a value here: \`ops\`, \`openshift\`, \`nodeLocalDns\`, \`tracing\`, \`paymentCore\`, \`outside\`. \`outside\` opens the way to what is not in the cluster; its hosts and names stand in \`settings\`, its passwords in \`externalSecrets.keys\`, as in [use managed PostgreSQL and Kafka](../../../docs/how-to/use-managed-postgresql-and-kafka.md).

**Secret stores** differ in the names that they take ([examples](../../examples)):

| Store | \`secretStore.separator\` | \`secretStore.property\` |
|---|---|---|
| AWS Secrets Manager | \`/\` | |
| Vault KV | \`/\` | \`value\` |
| Azure Key Vault, GCP Secret Manager | \`-\` | |

**cert-manager**: \`certManager.enabled\` makes a Certificate per service, in place of the entries \`mutual-tls-…\`. Issue them by the authority that \`secrets init\` made (\`keep/\`), or by another whose certificate stands in the entry \`internal-ca-crt\`. Services read a new certificate without a restart.

**IPv6**: \`ipFamilyPolicy: PreferDualStack\` (or \`RequireDualStack\`), and \`pods.all.env: [{ name: LISTEN_HOST, value: '::' }]\`, which listens on IPv4 too.

## Values

The settings that \`settings.<service>\` may hold: [environment](../../../docs/reference/environment.md).

| Value | Default | Meaning |
|---|---|---|
${rows.join('\n')}

## Pods

| In \`pods.<service>\` | Meaning |
|---|---|
${podsText()}
`;
}

async function writeChart(): Promise<void> {
  const files = await chartFiles(join(import.meta.dirname, '../../..'));
  for (const path of writePages([...files].map(([path, text]) => ({ path, text })))) console.log(`wrote ${path}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) void writeChart();
