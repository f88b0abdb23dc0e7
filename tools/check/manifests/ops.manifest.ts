import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { operatorProgram } from '../../../apps/operations/src/paycode/program';
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
    resources: { requests: Record<string, string>; limits: Record<string, string> };
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
    const { env, volumeMounts, securityContext, resources: bounds } = spec.containers[0]!;
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
    const mounted = spec.volumes.map(({ secret }) => [secret.secretName, secret.items?.map(({ key }) => key)]);
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

/** How-to pages of those who run the platform in a cluster; the others are for integrators, and for one machine. */
const howTos = [
  'back-up-and-restore',
  'connect-your-payment-core',
  'control-outbound-requests',
  'deploy-to-kubernetes',
  'erase-a-payers-data',
  'external-authorization',
  'rotate-key-encryption-keys',
  'send-email-and-sms',
  'use-managed-postgresql-and-kafka',
];
/** Commands on files of whoever holds them; they call no service. */
const onFiles = /^(secrets init|operators (issue|revoke)|keys (make|renew|retire)) /;

describe('pages of operators', () => {
  const runbooks = readdirSync(join(root, 'k8s/runbooks')).map(name => `k8s/runbooks/${name}`);
  const texts = [...runbooks, ...howTos.map(name => `docs/how-to/${name}.md`)].map((page): [string, string] => [
    page,
    readFileSync(join(root, page), 'utf8'),
  ]);
  const commandsBehind = (pattern: RegExp) =>
    texts.flatMap(([page, text]) => [...text.matchAll(pattern)].map(([, words]) => `${page}: ${words!.trim()}`));
  const program = operatorProgram(() => undefined);

  it('every command of an operator is one line into the cluster, and exists', () => {
    const commands = commandsBehind(/paycode --token-file - (?:--json )?([^`<\n]+)/g);
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.filter(command => !isCommand(program, command.replace(/^.*?: /, '').split(' ')))).toEqual([]);
  });

  it('no command that calls a service is shown in a form for one machine only', () => {
    // A sentence may name that form beside the line, for readers who try it out.
    const local = commandsBehind(/^(?!.*platform of `npm start`).*npm run -s paycode -- ([^`|\n]+)/gm);
    expect(local.length).toBeGreaterThan(5);
    expect(local.filter(command => !onFiles.test(`${command.replace(/^.*?: /, '')} `))).toEqual([]);
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
