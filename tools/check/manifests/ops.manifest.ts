import { rewoundGroups } from '../../../apps/operations/src/paycode/commands/groups';
import { type Pod, podOf, type Policy, render, renderWithBase, type Resource } from './render';

const restricted = { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } };
const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };

describe("the operators' commands in the cluster", () => {
  const resources = renderWithBase('components/ops');
  const find = (kind: string, name: string) =>
    resources.find(resource => resource.kind === kind && resource.metadata.name === name)!;
  const pods = [find('Deployment', 'ops'), find('CronJob', 'audit')].map((resource): [name: string, spec: Pod['spec']] => [
    resource.metadata.name,
    podOf(resource).spec,
  ]);

  it.each(pods)('%s is locked down, and finds every file that its settings name', (_name, spec) => {
    expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: restricted });
    const { env = [], volumeMounts, securityContext, resources: bounds } = spec.containers[0]!;
    expect(securityContext).toEqual(locked);
    expect(Object.keys(bounds.limits).sort()).toEqual(['ephemeral-storage', 'memory']);
    expect(Object.keys(bounds.requests).sort()).toEqual(['cpu', 'ephemeral-storage', 'memory']);
    const files = env.filter(({ value }) => value.startsWith('/etc/paycode/'));
    expect(files.length).toBeGreaterThan(2);
    for (const { value } of files)
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain(value.replace(/\/[^/]+$/, ''));
  });

  it('a night in which nothing could start is made up for by noon, and ends no further one', () => {
    expect(find('CronJob', 'audit').spec).toMatchObject({ concurrencyPolicy: 'Forbid', startingDeadlineSeconds: 12 * 3_600 });
  });

  it('the pod in which people run commands has no database, no key of a service and no token (T-27)', () => {
    const [, spec] = pods[0]!;
    const mounted = spec.volumes.map(({ secret }) => [secret!.secretName, secret!.items?.map(({ key }) => key)]);
    expect(mounted).toEqual([
      ['paycode-ops', undefined],
      ['paycode-token-keys', ['internal-ca.crt']],
      ['paycode-kafka-ca', undefined],
    ]);
    const { data } = find('ExternalSecret', 'paycode-ops').spec as { data: { remoteRef: { key: string } }[] };
    expect(data.map(({ remoteRef }) => remoteRef.key.split('/')[1])).toEqual(['operator', 'operator', 'operator']);
  });

  it('reaches the internal listener of every service that answers operators, and nothing else', () => {
    const { podSelector, ingress } = find('NetworkPolicy', 'allow-ops').spec as Policy;
    expect(ingress).toEqual([
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ops' } } }],
        ports: [{ protocol: 'TCP', port: 'internal' }],
      },
    ]);
    const [name] = podSelector.matchExpressions!;
    expect(name).toMatchObject({ operator: 'NotIn', values: ['api-gateway', 'ops'] });
    const urls = pods[0]![1].containers[0]!.env!.find(each => each.name === 'PAYCODE_URLS')!.value.split(',');
    const services = new Map([...render('k8s/base'), ...render('k8s/base/payment-simulator')].filter(isService).map(portOf));
    services.delete('api-gateway');
    expect(new Map(urls.map(pair => pair.split('=') as [string, string]))).toEqual(services);
  });

  it('speaks to Kafka as a user that puts dead letters back and sets groups of restored services back, and nothing else (T-19)', () => {
    const users = render('k8s/overlays/data-services').filter(({ kind }) => kind === 'KafkaUser');
    const { authorization } = users.find(({ metadata }) => metadata.name === 'operator')!.spec as {
      authorization: { acls: { resource: { type: string; name: string; patternType: string }; operations: string[] }[] };
    };
    const of = (isWanted: (rule: { type: string; name: string }) => boolean) =>
      authorization.acls.filter(({ resource }) => isWanted(resource)).map(({ operations }) => operations.join());
    const isDeadLetters = (name: string) => name.endsWith('.dlq');
    expect([...new Set(of(({ type, name }) => type === 'topic' && isDeadLetters(name)))]).toEqual(['Read,Describe']);
    expect([...new Set(of(({ type, name }) => type === 'topic' && !isDeadLetters(name)))]).toEqual(['Read,Write,Describe']);
    const groups = authorization.acls.filter(({ resource }) => resource.type === 'group');
    const readable = groups.filter(({ operations }) => operations.includes('Read'));
    const rewound = rewoundGroups.flatMap(({ group, isPerCell }) => [
      `literal ${group}`,
      ...(isPerCell ? [`prefix ${group}@`] : []),
    ]);
    expect(readable.map(({ resource }) => `${resource.patternType} ${resource.name}`).sort()).toEqual(
      [...rewound, 'literal paycode-redrive'].sort(),
    );
    expect(groups.every(({ operations }) => !operations.includes('Write'))).toBe(true);
  });
});

function isService({ kind }: Resource): boolean {
  return kind === 'Service';
}

function portOf({ metadata, spec }: Resource): [name: string, url: string] {
  const { port } = (spec as { ports: { name: string; port: number }[] }).ports.find(({ name }) => name === 'internal')!;
  return [metadata.name, `https://${metadata.name}:${port}`];
}
