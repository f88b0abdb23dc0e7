import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeclarations } from '../../run/build/generated-pages';
import { nameOf, podOf, render, renderWithBase, type Resource } from './render';

const root = join(__dirname, '../../..');
const environment = readDeclarations().settings;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

describe.each(['sandbox', 'production'])('overlay %s', overlay => {
  const resources = render(`k8s/overlays/${overlay}`);
  const of = (kind: string) => resources.filter(resource => resource.kind === kind);
  const named = (kind: string) => of(kind).map(({ metadata }) => metadata.name);
  const deployments = of('Deployment');
  const workloads = [...deployments, ...of('Job')];
  const services = deployments.map(({ metadata }) => metadata.name);

  it('runs every service; the simulator in the sandbox only', () => {
    const expected = Object.keys(environment).filter(
      name => name !== 'standalone' && (overlay === 'sandbox' || name !== 'payment-simulator'),
    );
    expect(services.sort()).toEqual(expected.sort());
  });

  it('everything is in one namespace that enforces the restricted pod security standard', () => {
    expect(
      resources.filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'paycode').map(nameOf),
    ).toEqual([]);
    expect(of('Namespace')[0]!.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it.each(workloads.map((resource): [string, Resource] => [nameOf(resource), resource]))(
    '%s is locked down',
    (_name, resource) => {
      const { spec } = podOf(resource);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(named('ServiceAccount')).toContain(spec.serviceAccountName);
      for (const container of spec.containers) {
        const { requests, limits } = container.resources;
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect([requests['memory'], requests['cpu'] !== undefined, limits['cpu']]).toEqual([limits['memory'], true, undefined]);
        // A log or a file that grows takes the pod, not the node.
        expect([requests['ephemeral-storage'], limits['ephemeral-storage']]).toEqual(['128Mi', '512Mi']);
        expect(container.image).toMatch(/^[a-z0-9./-]+@sha256:[0-9a-f]{64}$/);
      }
    },
  );

  it.each(deployments.map((resource): [string, Resource] => [resource.metadata.name, resource]))(
    '%s drains, spreads, is probed and keeps its memory',
    (_name, resource) => {
      const { spec } = podOf(resource);
      const [container] = spec.containers;
      expect(spec.terminationGracePeriodSeconds).toBe(75);
      expect(container).toMatchObject({
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        startupProbe: { httpGet: { path: '/health/live' } },
        livenessProbe: { httpGet: { path: '/health/live' } },
        readinessProbe: { httpGet: { path: '/health/ready' } },
      });
      // Two replicas on one host are lost with it, so the scheduler must not put them there.
      expect(spec).toMatchObject({
        topologySpreadConstraints: [
          { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
          { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule', nodeTaintsPolicy: 'Honor' },
        ],
      });
      const data = configOf(resource);
      // preStop 5 s + what the process may take + a margin must fit into the grace time.
      expect(5 + Number(data['SHUTDOWN_GRACE_MS']) / 1_000).toBeLessThan(spec.terminationGracePeriodSeconds);
    },
  );

  it.each(workloads.map((resource): [string, Resource] => [nameOf(resource), resource]))(
    '%s has a heap of three quarters of its memory',
    (_name, resource) => {
      const heapMi = Number(/--max-old-space-size=(\d+)/.exec(configOf(resource)['NODE_OPTIONS']!)![1]);
      expect(heapMi / memoryMiOf(resource)).toBeCloseTo(0.75, 2);
    },
  );

  it('a dispatcher with all sockets open and a full memory of deliveries stays within its limit', () => {
    const dispatcher = deployments.find(({ metadata }) => metadata.name === 'webhook-dispatcher')!;
    const { SOCKETS_MAX } = configOf(dispatcher);
    // docs/how-to/deploy-to-kubernetes.md, "Sizing".
    const neededMi = 150 + 313 + (Number(SOCKETS_MAX) * 90) / 1_024;
    expect(neededMi).toBeLessThan(memoryMiOf(dispatcher));
  });

  it('a disruption takes one pod of a service at a time, and never the last one', () => {
    expect(named('PodDisruptionBudget').sort()).toEqual([...services].sort());
    for (const { metadata, spec } of of('PodDisruptionBudget')) {
      // The dispatcher's number is the autoscaler's: of a single replica, as the first apply makes, none may be evicted.
      const isScaled = metadata.name === 'webhook-dispatcher';
      expect(spec).toMatchObject({
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        ...(isScaled ? { minAvailable: '50%' } : { maxUnavailable: 1 }),
      });
    }
  });

  it('every service has two replicas or more, the dispatcher by both autoscalers', () => {
    const few = deployments.filter(({ spec }) => ((spec as { replicas?: number }).replicas ?? 1) < 2);
    // A number in its manifest would overwrite the autoscaler's on every apply; docs/how-to/deploy-to-kubernetes.md makes two of the first.
    expect(few.map(({ metadata }) => metadata.name)).toEqual(['webhook-dispatcher']);
    expect(of('ScaledObject')[0]!.spec).toMatchObject({
      scaleTargetRef: { name: 'webhook-dispatcher' },
      minReplicaCount: 2,
      fallback: { replicas: expect.any(Number) as number },
    });
    const byCpu = renderWithBase('components/hpa').find(({ kind }) => kind === 'HorizontalPodAutoscaler')!;
    expect(byCpu.spec).toMatchObject({ scaleTargetRef: { name: 'webhook-dispatcher' }, minReplicas: 2 });
  });

  it.each(workloads.map((resource): [string, Resource] => [nameOf(resource), resource]))(
    '%s is given every setting it needs and none it does not read',
    (_name, resource) => {
      const service = podOf(resource).spec.containers[0]!.image.replace(/^.*\/|@.*$/g, '');
      const known = environment[service]!;
      const names = Object.keys(configOf(resource)).filter(name => name !== 'NODE_OPTIONS');
      const given = names.map(name => (name in known ? name : name.replace(/_FILE$/, '')));
      // A migration reads the settings of its database and no others.
      const isNeeded = (key: string) => known[key]!.required && (resource.kind === 'Deployment' || key === 'DATABASE_URL');
      expect(Object.keys(known).filter(key => isNeeded(key) && !given.includes(key))).toEqual([]);
      expect(given.filter(key => !(key in known))).toEqual([]);
      expect(names.filter(name => known[name]?.secret)).toEqual([]);
      if (resource.kind === 'Deployment') expect(configOf(resource)['PAYCODE_ENVIRONMENT']).toBe(overlay);
    },
  );

  it.each(workloads.map((resource): [string, Resource] => [nameOf(resource), resource]))(
    '%s finds every file its settings name',
    (_name, resource) => {
      const { volumeMounts } = podOf(resource).spec.containers[0]!;
      const files = Object.entries(configOf(resource)).filter(([key]) => key.endsWith('_FILE'));
      for (const [, file] of files)
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain(file.replace(/\/[^/]+$/, ''));
      const secrets = podOf(resource).spec.volumes.flatMap(({ secret, projected }) => [
        secret?.secretName,
        ...(projected?.sources.map(source => source.secret.name) ?? []),
      ]);
      expect(secrets.filter(name => name && !named('ExternalSecret').includes(name))).toEqual([]);
    },
  );

  it.each(deployments.map((resource): [string, Resource] => [nameOf(resource), resource]))(
    '%s speaks TLS with other services, and its probes know (T-27)',
    (_name, resource) => {
      const data = configOf(resource);
      const calls = Object.entries(data).filter(([key]) => key.endsWith('_URL') && !key.startsWith('PUBLIC_BASE'));
      expect(calls.filter(([, url]) => !url.startsWith('https://'))).toEqual([]);
      expect(Object.keys(data)).toEqual(
        expect.arrayContaining(['MUTUAL_TLS_CERT_FILE', 'MUTUAL_TLS_KEY_FILE', 'MUTUAL_TLS_CA_FILE']),
      );
      const probe = { httpGet: { port: 'internal', scheme: 'HTTPS' } };
      expect(podOf(resource).spec.containers[0]).toMatchObject({
        startupProbe: probe,
        livenessProbe: probe,
        readinessProbe: probe,
      });
    },
  );

  it('no secret is in the manifests: only references to the store of this environment', () => {
    expect(of('Secret')).toEqual([]);
    for (const { spec } of of('ExternalSecret'))
      expect(spec).toMatchObject({ secretStoreRef: { kind: 'ClusterSecretStore', name: `paycode-${overlay}` } });
  });

  it('the Jobs that migrate carry the release, and services only check', () => {
    // A number behind it: another image of the same release.
    const suffix = new RegExp(`-v${version.replaceAll('.', '-')}(-[1-9][0-9]*)?$`);
    expect(named('Job').filter(name => !suffix.test(name))).toEqual([]);
    const withDatabase = services.filter(service => 'DATABASE_URL' in environment[service]!);
    expect(
      named('Job')
        .map(name => name.replace(suffix, ''))
        .sort(),
    ).toEqual(withDatabase.map(service => `${service}-migrate`).sort());
    for (const deployment of deployments.filter(({ metadata }) => withDatabase.includes(metadata.name)))
      expect(configOf(deployment)['MIGRATIONS']).toBe('check');
  });

  it('no Job changes with a setting, because Kubernetes refuses a changed Job', () => {
    const references = of('Job').flatMap(job => JSON.stringify(job).match(/configMap(Ref|KeyRef)?"/g) ?? []);
    expect(references).toEqual([]);
  });

  it("the migration of a service without an owner's rights grants its rows to the role in its URL", () => {
    const roles = of('Job').map(job => [job.metadata.labels!['app.kubernetes.io/name'], configOf(job)['DATABASE_SERVICE_ROLE']]);
    const isOwner = (name: string) => /^(webhook-dispatcher|reversal-scheduler)-/.test(name);
    for (const [name, role] of roles as [string, string | undefined][])
      expect(role).toBe(isOwner(name) ? undefined : `paycode_${name.replace(/-migrate$/, '').replaceAll('-', '_')}`);
  });

  it('no proxy of the cluster reads a path: TLS passes through to api-gateway, the only entrance (T-26)', () => {
    const routes = resources.filter(({ kind }) =>
      /^(HTTPRoute|GRPCRoute|TCPRoute|TLSRoute|Ingress|HTTPProxy|VirtualService)$/.test(kind),
    );
    expect(routes.map(nameOf)).toEqual(['TLSRoute/api-gateway']);
    const { rules } = routes[0]!.spec as { rules: object[] };
    expect(rules).toEqual([{ backendRefs: [{ name: 'api-gateway', port: 443 }] }]);
    const reachable = of('Service').filter(({ spec }) => ((spec as { type?: string }).type ?? 'ClusterIP') !== 'ClusterIP');
    expect(reachable.map(nameOf)).toEqual([]);
  });

  it('links and pages are at the host that clients reach', () => {
    const [host] = (of('TLSRoute')[0]!.spec as { hostnames: string[] }).hostnames;
    const given = deployments.flatMap(deployment => configOf(deployment)['PUBLIC_BASE_URL'] ?? []);
    expect([...new Set(given)]).toEqual([`https://${host}`]);
  });

  it('every target has the labels of Paycode and of its environment', () => {
    const monitors = [...of('ServiceMonitor'), ...of('PodMonitor')];
    expect(monitors).toHaveLength(2);
    for (const { spec } of monitors) {
      const { endpoints, podMetricsEndpoints } = spec as Record<string, { relabelings: object[] }[] | undefined>;
      const discovered = endpoints ? 'service_name' : 'pod_label_app_kubernetes_io_name';
      const wanted = [
        { sourceLabels: [`__meta_kubernetes_${discovered}`], targetLabel: 'service' },
        { targetLabel: 'platform', replacement: 'paycode' },
        { targetLabel: 'environment', replacement: overlay },
      ];
      for (const endpoint of (endpoints ?? podMetricsEndpoints)!)
        expect(endpoint).toMatchObject({ path: '/metrics', interval: '15s', relabelings: expect.arrayContaining(wanted) as [] });
    }
  });

  function memoryMiOf(resource: Resource): number {
    return Number.parseInt(podOf(resource).spec.containers[0]!.resources.limits['memory']!, 10);
  }

  /** The environment variables of the process. */
  function configOf(resource: Resource): Record<string, string> {
    const { envFrom = [], env = [] } = podOf(resource).spec.containers[0]!;
    const shared = envFrom.map(({ configMapRef }) =>
      resources.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name),
    );
    const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    return Object.assign({}, ...shared.map(map => map!['data'] as Record<string, string>), own) as Record<string, string>;
  }
});
