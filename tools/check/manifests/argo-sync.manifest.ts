import { nameOf, overlays, render, renderWithBase, type Resource } from './render';

/** Phases of gitops-engine in their order (`syncPhaseOrder` of its sync_tasks.go), then waves; an object that is no hook is of the phase Sync. */
const phases = ['PreSync', 'Sync', 'PostSync'];

function stepOf({ metadata: { annotations = {} } }: Resource): number {
  const phase = phases.indexOf(annotations['argocd.argoproj.io/hook'] ?? 'Sync');
  return phase * 1_000 + Number(annotations['argocd.argoproj.io/sync-wave'] ?? 0);
}

/**
 * Plays the first sync of Argo CD, as `Sync` of gitops-engine's sync_context.go runs it: a wave is applied, and the next one waits until
 * every object of it is healthy. Returns the objects that never are, each with what it lacks; none: the sync ends.
 */
function stopsOf(resources: readonly Resource[]): string[] {
  const known = new Set(resources.map(nameOf));
  const healthy = new Set<string>();
  const lacks = (resource: Resource) => needsOf(resource, resources).filter(name => known.has(name) && !healthy.has(name));
  for (const step of [...new Set(resources.map(stepOf))].sort((a, b) => a - b)) {
    const wave = resources.filter(resource => stepOf(resource) === step);
    // Once for each object of it: every pass makes one healthy at least, or none ever is.
    for (const resource of wave.flatMap(() => wave)) if (lacks(resource).length === 0) healthy.add(nameOf(resource));
    const stops = wave.filter(resource => !healthy.has(nameOf(resource)));
    if (stops.length > 0) return stops.map(resource => `${nameOf(resource)} lacks ${lacks(resource).join(', ')}`);
  }
  return [];
}

/** Kind of the object that a field names. Objects outside of the manifests are another tool's, and there before. */
const references: Record<string, string> = {
  serviceAccountName: 'ServiceAccount',
  configMapRef: 'ConfigMap',
  secretName: 'ExternalSecret',
  secret: 'ExternalSecret',
  scaleTargetRef: 'Deployment',
};

/**
 * The objects without which Argo CD does not call this one healthy: a Job is healthy when it is complete, a Deployment when its pods are ready
 * (pkg/health), and an autoscaler without its target is degraded.
 */
function needsOf(resource: Resource, resources: readonly Resource[]): string[] {
  const names: string[] = [];
  JSON.stringify(resource.spec ?? {}, (key, value: { name?: string } | string) => {
    const name = typeof value === 'string' ? value : value?.name;
    if (references[key] && name) names.push(`${references[key]}/${name}`);
    return value;
  });
  const isChecked = resources.some(
    each => names.includes(nameOf(each)) && (each['data'] as { MIGRATIONS?: string } | undefined)?.MIGRATIONS === 'check',
  );
  // The pods of such a service exit until its Job is complete.
  return [...names, ...(isChecked ? resources.filter(each => isMigrationOf(each, resource)).map(nameOf) : [])];
}

function isMigrationOf({ kind, metadata }: Resource, service: Resource): boolean {
  return kind === 'Job' && metadata.name.startsWith(`${service.metadata.name}-migrate-`);
}

const opted = ['external-secrets', 'migrations', 'ops', 'gateway-api', 'hpa', 'payment-core'].map(name => `components/${name}`);

describe.each([
  ...overlays.map((name): [string, Resource[]] => [`overlay ${name}`, render(`k8s/overlays/${name}`)]),
  ['the base with ops and hpa', renderWithBase(...opted)] as [string, Resource[]],
])('Argo CD, first sync of %s', (_title, resources) => {
  it('ends: nothing waits for what a later wave brings', () => {
    expect(stopsOf(resources)).toEqual([]);
  });

  it('completes every migration before the Deployment of its service changes', () => {
    const deployments = resources.filter(({ kind }) => kind === 'Deployment');
    const late = deployments.filter(each => resources.some(job => isMigrationOf(job, each) && stepOf(each) <= stepOf(job)));
    expect(late.map(nameOf)).toEqual([]);
  });
});

it.each([
  ['a migration is behind the services', { kind: 'Job', wave: '2' }, /^Deployment\/.* lacks Job\//],
  [
    'an autoscaler is before its Deployment',
    { kind: 'ScaledObject', wave: '-1' },
    /^ScaledObject\/webhook-dispatcher lacks Deployment\//,
  ],
  ['secrets are behind the migrations', { kind: 'ExternalSecret', wave: '1' }, /^Job\/.* lacks ExternalSecret\//],
])('the walk through the waves stops where %s', (_title, { kind, wave }, stop) => {
  const annotations = { 'argocd.argoproj.io/sync-wave': wave };
  const resources = render('k8s/overlays/sandbox').map(resource =>
    resource.kind === kind ? { ...resource, metadata: { ...resource.metadata, annotations } } : resource,
  );
  expect(stopsOf(resources)[0]).toMatch(stop);
});
