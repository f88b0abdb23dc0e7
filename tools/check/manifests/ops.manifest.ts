import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { operatorProgram } from '../../operate/paycode/program';
import { render, renderWithBase, type Resource } from './render';

const root = join(__dirname, '../../..');
const restricted = { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } };
const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };

interface PodSpec {
  automountServiceAccountToken: boolean;
  securityContext: object;
  containers: {
    env: { name: string; value: string }[];
    volumeMounts: { name: string; mountPath: string }[];
    securityContext: object;
  }[];
  volumes: { name: string; secret: { secretName: string; items?: { key: string }[] } }[];
}
interface Policy {
  podSelector: { matchLabels?: Record<string, string>; matchExpressions?: { operator: string; values: string[] }[] };
  ingress?: { from: object[]; ports: { port: string }[] }[];
}

describe("the operators' commands in the cluster", () => {
  const resources = renderWithBase('components/ops');
  const find = (kind: string, name: string) =>
    resources.find(resource => resource.kind === kind && resource.metadata.name === name)!;
  const pods: [name: string, spec: PodSpec][] = [
    ['ops', (find('Deployment', 'ops').spec as { template: { spec: PodSpec } }).template.spec],
    [
      'audit',
      (find('CronJob', 'audit').spec as { jobTemplate: { spec: { template: { spec: PodSpec } } } }).jobTemplate.spec.template
        .spec,
    ],
  ];

  it.each(pods)('%s is locked down, and finds every file that its settings name', (_name, spec) => {
    expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: restricted });
    const { env, volumeMounts, securityContext } = spec.containers[0]!;
    expect(securityContext).toEqual(locked);
    const files = env.filter(({ value }) => value.startsWith('/etc/paycode/'));
    expect(files.length).toBeGreaterThan(2);
    for (const { value } of files)
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain(value.replace(/\/[^/]+$/, ''));
  });

  it('the pod in which people run commands has no database, no key of a service and no token (T-27)', () => {
    const [, spec] = pods[0]!;
    const mounted = spec.volumes.map(({ secret }) => [secret.secretName, secret.items?.map(({ key }) => key)]);
    expect(mounted).toEqual([
      ['paycode-ops', undefined],
      ['paycode-token-keys', ['internal-ca.crt']],
      ['paycode-kafka-ca', undefined],
    ]);
    const { data } = find('ExternalSecret', 'paycode-ops').spec as { data: { remoteRef: { key: string } }[] };
    expect(data.map(({ remoteRef }) => remoteRef.key.split('/')[1])).toEqual(['operator', 'operator', 'operator']);
  });

  it('reaches the internal listener of every service that answers operators, and no other way in', () => {
    const { podSelector, ingress } = find('NetworkPolicy', 'allow-ops').spec as Policy;
    expect(ingress).toEqual([
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ops' } } }],
        ports: [{ protocol: 'TCP', port: 'internal' }],
      },
    ]);
    const [name] = podSelector.matchExpressions!;
    expect(name).toMatchObject({ operator: 'NotIn', values: ['api-gateway', 'ops'] });
    const urls = pods[0]![1].containers[0]!.env.find(each => each.name === 'PAYCODE_URLS')!.value.split(',');
    const services = new Map([...render('k8s/base'), ...render('k8s/base/payment-simulator')].filter(isService).map(portOf));
    services.delete('api-gateway');
    expect(new Map(urls.map(pair => pair.split('=') as [string, string]))).toEqual(services);
  });

  it('speaks to Kafka as a user that can put dead letters back, and nothing else (T-19)', () => {
    const users = render('k8s/overlays/data-services').filter(({ kind }) => kind === 'KafkaUser');
    const { authorization } = users.find(({ metadata }) => metadata.name === 'operator')!.spec as {
      authorization: { acls: { resource: { type: string; name: string }; operations: string[] }[] };
    };
    for (const { resource, operations } of authorization.acls) {
      const wanted = resource.type === 'topic' ? (resource.name.endsWith('.dlq') ? 'Read' : 'Write') : undefined;
      expect(operations).toEqual(wanted ? [wanted, 'Describe'] : [resource.name === 'paycode-redrive' ? 'Read' : 'Describe']);
    }
  });
});

describe('runbooks', () => {
  const folder = join(root, 'k8s/runbooks');
  const texts = readdirSync(folder).map((name): [string, string] => [name, readFileSync(join(folder, name), 'utf8')]);
  const program = operatorProgram(() => undefined);

  it('every command of an operator runs in the cluster, and exists', () => {
    const commands = texts.flatMap(([name, text]) =>
      [...text.matchAll(/paycode --token-file - ([^`<\n]+)/g)].map(([, words]) => ({ name, words: words!.trim().split(' ') })),
    );
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter(({ words }) => !isCommand(program, words))).toEqual([]);
    const remote = texts
      .filter(([name]) => name !== 'rotate-secrets.md')
      .filter(([, text]) => text.includes('npm run -s paycode'));
    expect(remote.map(([name]) => name)).toEqual([]);
  });
});

function isCommand(program: Command, [group, name]: string[]): boolean {
  const commands = program.commands.find(command => command.name() === group)?.commands ?? [];
  return commands.some(command => command.name() === name);
}

function isService({ kind }: Resource): boolean {
  return kind === 'Service';
}

function portOf({ metadata, spec }: Resource): [name: string, url: string] {
  const { port } = (spec as { ports: { name: string; port: number }[] }).ports.find(({ name }) => name === 'internal')!;
  return [metadata.name, `https://${metadata.name}:${port}`];
}
