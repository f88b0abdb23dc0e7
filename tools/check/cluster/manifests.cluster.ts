import { nameOf, overlays, render, renderWithBase, type Resource } from '../manifests/render';
import { describeChart } from './chart-on-server';
import { ControlPlane } from './control-plane';
import {
  apply,
  clusterTemplate,
  evict,
  lostSettings,
  markReady,
  podsOf,
  programs,
  undoneRollOut,
  untilBudgetCounts,
} from './overlay-on-server';

/** Together, as an overlay may have them: each changes other objects than the others. openshift comes behind those with pods. */
const components = ['hpa', 'tracing', 'sms-gateway', 'payment-core', 'identity-providers', 'ops', 'openshift'];
const rendered = new Map<string, Resource[]>([
  ...overlays.map((name): [string, Resource[]] => [`overlay ${name}`, render(`k8s/overlays/${name}`)]),
  ['examples', render('k8s/examples')],
  [`components ${components.join(', ')}`, renderWithBase(...components.map(name => `components/${name}`))],
  ['component postgres-restore', renderWithBase('components/postgres-cnpg', 'components/postgres-restore')],
]);
let template: string;
const ofChart: Resource = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name: 'of-the-chart' } };
beforeAll(async () => void (template = await clusterTemplate([...rendered.values(), ofChart].flat())));

interface Fixture {
  resources: readonly Resource[];
  /** Runs while the tests do. */
  plane: ControlPlane;
}

describe.each([...rendered])('%s on a Kubernetes API server', (_title, resources) => {
  const fixture: Fixture = { resources, plane: undefined as unknown as ControlPlane };
  beforeAll(async () => void (fixture.plane = await ControlPlane.start(programs(), template)));
  afterAll(() => fixture.plane?.stop());
  describeApplied(fixture);
  if (resources.some(({ kind }) => kind === 'PodDisruptionBudget')) describeEvictions(fixture);
  if (resources.some(({ kind }) => kind === 'Job')) describeChanges(fixture);
  if (resources.some(({ kind }) => kind === 'Kafka')) describeKafkaPods(fixture);
});

describeChart(() => template);

function describeApplied(fixture: Fixture): void {
  const { resources } = fixture;
  it('is accepted, without a warning', () => {
    const { status, output, complaints } = apply(fixture.plane, resources);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    expect(linesOf(output)).toHaveLength(resources.length);
  });

  it('is stored as it was sent: nothing is pruned or changed', () => {
    const { status, output, complaints } = fixture.plane.kubectl(['get', '-o', 'json', '-f', '-'], resources);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    const { items } = JSON.parse(output) as { items: Resource[] };
    const placeOf = ({ kind, metadata: { namespace, name } }: Resource) => ({ kind, metadata: { namespace, name } });
    const stored = new Map(items.map(item => [JSON.stringify(placeOf(item)), item]));
    for (const sent of resources) expect(plain(stored.get(JSON.stringify(placeOf(sent))))).toMatchObject(plain(sent) as object);
  });

  it('is unchanged when it is applied again', () => {
    const { status, output, complaints } = apply(fixture.plane, resources);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    expect(linesOf(output).filter(line => line.endsWith(' created'))).toEqual([]);
    // kubectl sends budgets, and lists whose entries the server completes, again; what is stored stays as it is, and so does its generation.
    const { items } = JSON.parse(fixture.plane.kubectl(['get', '-o', 'json', '-f', '-'], resources).output) as {
      items: Generated[];
    };
    expect(items.filter(({ metadata }) => (metadata.generation ?? 1) > 1).map(nameOf)).toEqual([]);
  });
}

function describeEvictions(fixture: Fixture): void {
  // The pod in which people run commands has no budget: no payment waits for it.
  const deployments = fixture.resources.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name !== 'ops');
  it.each(deployments.map(deployment => [deployment.metadata.name, deployment] as const))(
    '%s: its pods are admitted, and evictions never take the last one',
    async (name, { spec }) => {
      const { replicas = 1, selector } = spec as { replicas?: number; selector: { matchLabels: Record<string, string> } };
      const labels = Object.entries(selector.matchLabels).map(pair => pair.join('='));
      const [first, ...others] = await podsOf(fixture.plane, labels.join(), replicas);
      for (const pod of [first!, ...others]) await markReady(fixture.plane, pod);
      await untilBudgetCounts(fixture.plane, name, replicas);
      expect({ name, answer: await evict(fixture.plane, first!) }).toEqual({ name, answer: replicas === 1 ? 429 : 201 });
      await untilBudgetCounts(fixture.plane, name, Math.max(1, replicas - 1));
      for (const pod of others) expect({ name, answer: await evict(fixture.plane, pod) }).toEqual({ name, answer: 429 });
    },
  );
}

function describeChanges(fixture: Fixture): void {
  const { resources } = fixture;
  const deployments = resources.filter(({ kind }) => kind === 'Deployment');
  const jobs = resources.filter(({ kind }) => kind === 'Job');
  it('every Job that migrates has its pod admitted', async () => {
    const pods = await podsOf(fixture.plane, 'app.kubernetes.io/component=migrations', jobs.length);
    expect(pods).toHaveLength(jobs.length);
  });

  it('takes a changed setting, which changes no Job and no number that the autoscaler has set', () => {
    const { plane } = fixture;
    const dispatchers = ['-n', 'paycode', 'get', 'deployment', 'webhook-dispatcher', '-o', 'jsonpath={.spec.replicas}'];
    expect(plane.kubectl(dispatchers).output).toBe('1');
    const scale = ['scale', 'deployment/webhook-dispatcher', '--current-replicas=1', '--replicas=2'];
    expect(plane.kubectl(['-n', 'paycode', ...scale])).toMatchObject({ status: 0 });
    const { status, output, complaints } = apply(fixture.plane, withSetting(resources));
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    const changed = linesOf(output).filter(line => !line.endsWith(' unchanged'));
    expect(changed.filter(line => line.startsWith('job'))).toEqual([]);
    expect(changed.filter(line => line.startsWith('deployment'))).toHaveLength(deployments.length);
    expect(plane.kubectl(dispatchers).output).toBe('2');
  });

  it('regression: goes back after a tool has pruned what git no longer names: the pods of before start again', async () => {
    const { plane } = fixture;
    await pruneSettings(plane, withSetting(resources));
    expect(await lostSettings(plane)).toEqual([]);
    const { replicas } = deployments.find(({ metadata }) => metadata.name === 'auth-session')!.spec as { replicas: number };
    // With a surge of one, because nothing becomes ready without a node.
    expect(await undoneRollOut(plane, 'auth-session', replicas + 1)).toHaveLength(replicas + 1);
    expect(await lostSettings(plane)).toEqual([]);
    const named = ['-n', 'paycode', 'get', 'deployment', 'auth-session', '-o', 'jsonpath={..configMapRef.name}'];
    expect(resources.map(({ metadata }) => metadata.name)).toContain(plane.kubectl(named).output);
  });

  it('takes other images, whose Jobs are called -v0-1-0-1', () => {
    const { status, output, complaints } = apply(fixture.plane, withImages(resources));
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    expect(linesOf(output).filter(line => line.startsWith('job') && line.endsWith(' created'))).toHaveLength(jobs.length);
  });
}

/** Deletes, as Argo CD and Flux do, the ConfigMaps of Paycode that are not among `wanted`; one that says so stays. */
async function pruneSettings(plane: ControlPlane, wanted: readonly Resource[]): Promise<void> {
  const names = new Set(wanted.map(nameOf));
  const path = '/api/v1/namespaces/paycode/configmaps';
  const { items } = await plane.api.get<{ items: Resource[] }>(`${path}?labelSelector=app.kubernetes.io/part-of=paycode`);
  const old = items.filter(({ metadata }) => !names.has(`ConfigMap/${metadata.name}`));
  expect(old.length).toBeGreaterThan(0);
  const isKept = ({ metadata: { annotations = {} } }: Resource) =>
    annotations['argocd.argoproj.io/sync-options'] === 'Prune=false' &&
    annotations['kustomize.toolkit.fluxcd.io/prune'] === 'disabled';
  for (const map of old.filter(each => !isKept(each))) await plane.api.call(`${path}/${map.metadata.name}`, { method: 'DELETE' });
}

function describeKafkaPods(fixture: Fixture): void {
  const { resources } = fixture;
  it.each(['brokers', 'entity operator', 'exporter'])('Kafka: the pods of its %s are admitted where they go', async part => {
    const kafka = resources.find(({ kind }) => kind === 'Kafka')!;
    const { status, body } = await fixture.plane.api.call('/api/v1/namespaces/kafka/pods?dryRun=All', {
      method: 'POST',
      body: podOf(part, kafka.spec as KafkaSpec),
    });
    expect({ status, body: status === 201 ? 'admitted' : body }).toEqual({ status: 201, body: 'admitted' });
  });
}

interface Generated extends Resource {
  metadata: Resource['metadata'] & { generation?: number };
}
interface Template {
  pod?: object;
  [container: string]: object | undefined;
}
interface KafkaSpec {
  kafka: { template?: Template };
  entityOperator: { template?: Template };
  kafkaExporter: { template?: Template };
}

/** A pod as Strimzi makes it with its default provider: what the template says, and nothing else about security. */
function podOf(part: string, { kafka, entityOperator, kafkaExporter }: KafkaSpec): object {
  const parts: Record<string, [Template | undefined, string[]]> = {
    brokers: [kafka.template, ['kafkaContainer']],
    'entity operator': [entityOperator.template, ['topicOperatorContainer', 'userOperatorContainer']],
    exporter: [kafkaExporter.template, ['container']],
  };
  const [template, names] = parts[part]!;
  const containers = names.map(name => ({ name: name.toLowerCase(), image: 'registry.invalid/strimzi', ...template?.[name] }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'made-by-strimzi' }, spec: { ...template?.pod, containers } };
}

function linesOf(output: string): string[] {
  return output.split('\n').filter(line => line !== '');
}

/** Every service logs more; kustomize gives a changed ConfigMap another name. */
function withSetting(resources: readonly Resource[]): Resource[] {
  const text = JSON.stringify(resources);
  const hashed = [...text.matchAll(/"name":"([a-z-]+-[a-z0-9]{10})"/g)].map(match => match[1]!);
  const maps = new Set(resources.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name));
  const renamed = [...new Set(hashed)].filter(name => maps.has(name));
  const changed = renamed.reduce((all, name) => all.replaceAll(`"${name}"`, `"${name.slice(0, -1)}x"`), text);
  return JSON.parse(changed.replaceAll('"LOG_LEVEL":"info"', '"LOG_LEVEL":"debug"')) as Resource[];
}

function withImages(resources: readonly Resource[]): Resource[] {
  const text = JSON.stringify(resources).replaceAll(/-migrate-v[0-9-]*[0-9](-b)?"/g, '-migrate-v0-1-0-1$1"');
  return JSON.parse(text.replaceAll(/@sha256:[0-9a-f]{64}/g, `@sha256:${'1'.repeat(64)}`)) as Resource[];
}

const factors: Record<string, number> = { '': 1, m: 0.001, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** CPU and memory as numbers, because the API server writes `0.5` as `500m`, and without empty values, which are the same as none. */
function plain(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree), (_, value: unknown) => {
    if (value === null || JSON.stringify(value) === '[]') return undefined;
    if (typeof value !== 'string') return value;
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(m|Ki|Mi|Gi|Ti)?$/.exec(value) ?? [];
    return number === undefined ? value || undefined : Number(number) * factors[unit]!;
  });
}
