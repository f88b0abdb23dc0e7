import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { nameOf, render, type Resource, resourcesOf, settingsOf } from '../manifests/render';
import { describeFitted, fittedValues, valuesFile } from './chart-fitted';
import { ControlPlane } from './control-plane';
import { lostSettings, podsOf, programs, undoneRollOut, type Workload } from './overlay-on-server';

const chart = join(__dirname, '../../../k8s/charts/paycode');
const inProduction = ['-f', join(chart, 'values-production.yaml')];
const environments: [name: string, words: string[]][] = [
  ['sandbox', []],
  ['production', inProduction],
  ['two-cells', [...inProduction, '--set', 'cells[0].name=b']],
];
const release = ['paycode', chart, '-n', 'paycode'];

/** The Helm chart, against kustomize and on an API server. `template`: of etcd, with the operators' definitions. */
export function describeChart(template: () => string): void {
  describe('the Helm chart', () => {
    describeRendering();
    describeFitted(templated);
    describeInstalled(template);
  });
}

function describeRendering(): void {
  it.each(environments)('renders the same objects as kustomize for %s, with the settings in the pods', (name, words) => {
    const expected = byName(withSettingsInPods(render(`k8s/overlays/${name}`)));
    const rendered = byName(templated(['--no-hooks', '--set', 'namespace.create=true,ops.enabled=false', ...words]));
    expect(Object.keys(rendered)).toEqual(Object.keys(expected));
    for (const [object, content] of Object.entries(expected))
      expect({ [object]: rendered[object] }).toEqual({ [object]: content });
  });

  it('has values that take away what belongs to an operator, and every object follows the namespace of its release', () => {
    const off = ['externalSecrets', 'gateway', 'networkPolicies', 'monitoring', 'autoscaling', 'migrations', 'ops'];
    const objects = templated(['--no-hooks', '-n', 'elsewhere', ...off.flatMap(name => ['--set', `${name}.enabled=false`])]);
    const kinds = [...new Set(objects.map(({ kind }) => kind))].sort();
    expect(kinds).toEqual(['Deployment', 'PodDisruptionBudget', 'Service', 'ServiceAccount']);
    expect(objects.filter(({ metadata }) => metadata.namespace !== 'elsewhere').map(nameOf)).toEqual([]);
    const dispatcher = objects.find(object => nameOf(object) === 'Deployment/webhook-dispatcher')!;
    expect(dispatcher['spec']).toMatchObject({ replicas: 2 });
  });

  it('takes further keys of a secret from the store', () => {
    const value = 'externalSecrets.keys.webhook-dispatcher.OUTBOUND_CLIENT_KEY=paycode/shared/client-certificate-key';
    const holding = templated(['--no-hooks', '--set', value]).filter(object =>
      JSON.stringify(object).includes('OUTBOUND_CLIENT_KEY'),
    );
    expect(holding.map(nameOf)).toEqual(['ExternalSecret/paycode-webhook-dispatcher']);
    const key = { secretKey: 'OUTBOUND_CLIENT_KEY', remoteRef: { key: 'paycode/shared/client-certificate-key' } };
    expect(holding[0]!['spec']).toMatchObject({ data: expect.arrayContaining([key]) as object[] });
  });

  it.each([
    ['replicas.api-gateway=0', '/replicas/api-gateway'],
    ['images.digests.api-gateway=latest', '/images/digests/api-gateway'],
    ['settings.api-gateway.HEADERS_MAX=5', '/settings/api-gateway/HEADERS_MAX'],
    ['hots=paycode.example', "'hots' not allowed"],
    ['pods.portal.nodeselector.pool=a', '/pods/portal'],
    ['pods.all.terminationGracePeriodSeconds=5', '/pods/all/terminationGracePeriodSeconds'],
    ['outside.smtp.ranges={mail.example}', '/outside/smtp/ranges/0'],
    ['cells[0].name=main', '/cells/0/name'],
    ['cells[0].replicas.webhook-dispatcher=2', '/cells/0'],
  ])('refuses %s, and names it', (value, complaint) => {
    const { status, stderr } = helm(['template', ...release, '--set', value]);
    expect({ status, named: stderr.includes(complaint) ? complaint : stderr }).toEqual({ status: 1, named: complaint });
  });

  it('is packed with the values of production, and lint has nothing to say', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-chart-'));
    const { status, stdout } = helm(['lint', '--strict', '--quiet', chart]);
    expect({ status, stdout: stdout.trim() }).toEqual({ status: 0, stdout: '' });
    expect(helm(['package', chart, '-d', folder]).status).toBe(0);
    const [archive] = readdirSync(folder);
    const files = execFileSync('tar', ['-tzf', join(folder, archive!)], { encoding: 'utf8' });
    expect(files).toContain('paycode/values-production.yaml');
  });
}

function describeInstalled(template: () => string): void {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start(programs(), template());
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    plane.kubectl(['apply', '-f', '-'], [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'paycode', labels } }]);
  });
  afterAll(() => plane?.stop());

  it('is installed by an API server, without a warning', async () => {
    const { status, complaints } = await plane.helm(['install', ...release]);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    const pods = await podsOf(plane, 'app.kubernetes.io/component=migrations', 7);
    expect(pods).toHaveLength(7);
  });

  it('`helm test` ends as its pod does', async () => {
    const ran = plane.helm(['test', 'paycode', '-n', 'paycode', '--timeout', '120s']);
    const path = '/api/v1/namespaces/paycode/pods/paycode-ready/status';
    // The test reports the phase in place of a kubelet, because no node runs here.
    await eventually(async () => {
      const body = { status: { phase: 'Succeeded' } };
      const { status } = await plane.api.call(path, { method: 'PATCH', type: 'application/merge-patch+json', body });
      if (status !== 200) throw new Error(`the pod of the test is not there: ${status}`);
    });
    const { status, output, complaints } = await ran;
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    expect(output).toContain('Phase:          Succeeded');
  });

  describeUpgrades(() => plane);
}

function describeUpgrades(running: () => ControlPlane): void {
  it('regression: a changed setting replaces the pods, and those of before start again, undone or rolled back', async () => {
    const plane = running();
    const changed = await plane.helm(['upgrade', ...release, '--set-string', 'settings.webhook-dispatcher.SOCKETS_MAX=2000']);
    expect({ status: changed.status, complaints: changed.complaints }).toEqual({ status: 0, complaints: [] });
    expect(await socketsOf(plane)).toBe('2000');
    expect(await lostSettings(plane)).toEqual([]);
    // A pod of each revision, because none becomes ready without a node.
    expect(await undoneRollOut(plane, 'webhook-dispatcher', 2)).toHaveLength(2);
    expect(await socketsOf(plane)).toBe('3000');
    expect(await plane.helm(['rollback', 'paycode', '1', '-n', 'paycode'])).toMatchObject({ status: 0 });
    expect(await socketsOf(plane)).toBe('3000');
  });

  it('takes what a cluster has or demands, without a warning, in Jobs of new names', async () => {
    const plane = running();
    const [scheduling] = [
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'payments' }, value: 1000 },
    ];
    plane.kubectl(['apply', '-f', '-'], [scheduling as unknown as Resource]);
    const { status, complaints } = await plane.helm(['upgrade', ...release, ...valuesFile(fittedValues)]);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
  });

  it('takes a second cell, without a warning, whose pods are admitted', async () => {
    const plane = running();
    const { status, complaints } = await plane.helm(['upgrade', ...release, '--set', 'cells[0].name=b']);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    expect(await podsOf(plane, 'paycode.dev/cell=b,app.kubernetes.io/component=migrations', 2)).toHaveLength(2);
    expect(await podsOf(plane, 'paycode.dev/cell=b,app.kubernetes.io/part-of=paycode', 3)).toHaveLength(3);
  });

  it('takes other images, whose Jobs have names of their own', async () => {
    const plane = running();
    const digest = `sha256:${'1'.repeat(64)}`;
    const words = ['--set', `images.digests.auth-session=${digest}`, '--set', 'migrations.revision=1'];
    const { status, complaints } = await plane.helm(['upgrade', ...release, ...words]);
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] });
    const { items } = await plane.api.get<{ items: Resource[] }>('/apis/batch/v1/namespaces/paycode/jobs');
    const names = items.map(({ metadata }) => metadata.name).filter(name => name.startsWith('auth-session'));
    expect(names).toContain('auth-session-migrate-v0-1-0-1');
  });
}

async function socketsOf(plane: ControlPlane): Promise<string | undefined> {
  const { spec } = await plane.api.get<Workload>('/apis/apps/v1/namespaces/paycode/deployments/webhook-dispatcher');
  return spec.template.spec.containers[0]!.env?.find(({ name }) => name === 'SOCKETS_MAX')?.value;
}

type Setting = NonNullable<Workload['spec']['template']['spec']['containers'][number]['env']>[number];

/** The chart writes settings into the pods, where kustomize refers to a ConfigMap. */
function withSettingsInPods(resources: readonly Resource[]): Resource[] {
  const deployments = resources.filter(({ kind }) => kind === 'Deployment');
  for (const { metadata, spec } of deployments) {
    const [container] = (spec as Workload['spec']).template.spec.containers;
    const [service, cell] = metadata.name.split(/-(?=b$)/) as [string, string?];
    // Of a further cell, the pod's own variables win over the settings of the first one.
    const isCellName = ({ name, value }: Setting) => name === 'CELL_NAME' && value === undefined;
    const own = (container!.env ?? []).map(each => (isCellName(each) ? { name: each.name, value: cell } : each));
    const given = own.map(each => (each.value ? { ...each, value: each.value.replace('$(CELL_NAME)', cell!) } : each));
    const settings = Object.entries(settingsOf(resources, service)).map(([name, value]): Setting => ({ name, value }));
    container!.env = [...new Map([...settings, ...given].map(each => [each.name, each])).values()];
    delete container!.envFrom;
  }
  const services = new Set(deployments.map(({ metadata }) => metadata.name));
  return resources.filter(({ kind, metadata }) => kind !== 'ConfigMap' || !services.has(metadata.name.replace(/-[^-]+$/, '')));
}

function helm(args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(join(programs(), 'helm'), args, { encoding: 'utf8', timeout: 120_000, maxBuffer: 64 * 1_048_576 });
}

function templated(words: string[]): Resource[] {
  const { status, stdout, stderr } = helm(['template', ...release, ...words]);
  if (status !== 0) throw new Error(stderr);
  return resourcesOf(stdout);
}

function byName(resources: readonly Resource[]): Record<string, Resource> {
  const named = resources.map((resource): [string, Resource] => [nameOf(resource), resource]);
  return Object.fromEntries(named.sort(([a], [b]) => a.localeCompare(b)));
}
