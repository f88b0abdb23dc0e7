import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { readDeclarations } from '../../run/build/generated-pages';
import { podOf, type Policy, render, renderWithBase, type Resource, settingsOf } from './render';

const environment = readDeclarations().settings;
/** RFC 5737: belongs to nobody, so an address that is not replaced opens no way. */
const documentation = ipaddr.parseCIDR('192.0.2.0/24');
const outside = 'app.kubernetes.io/name';

describe('overlay managed-services', () => {
  const resources = render('k8s/overlays/managed-services');
  const workloads = resources.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  const dispatcher = settingsOf(resources, 'webhook-dispatcher');
  const messages = settingsOf(resources, 'recipient-messages');

  it('lets every pod with a database reach it, Jobs included, on the port of PostgreSQL and in its range only', () => {
    const withDatabase = workloads.filter(workload => JSON.stringify(podOf(workload)).includes('paycode-postgres-ca'));
    expect(withDatabase.length).toBeGreaterThan(5);
    expect(sorted(podsOf(resources, 'managed-postgres'))).toEqual(
      expect.arrayContaining(sorted(withDatabase.map(workload => podLabelOf(workload)))),
    );
    expect(waysOf(resources, 'managed-postgres')).toEqual(['192.0.2.0/28 TCP 5432']);
    expect(podsOf(resources, 'managed-postgres')).not.toContain('api-gateway');
    expect(podsOf(resources, 'managed-postgres')).toContain('audit'); // of components/ops
  });

  it('lets exactly the services with brokers in their settings reach them, on the port of the settings', () => {
    const withKafka = workloads.filter(workload => 'KAFKA_BROKERS' in settingsOf(resources, workload.metadata.name));
    // Pods of the sandbox, of components/ops and of further cells, which this overlay does not have.
    const elsewhere = ['payment-simulator', 'ops', 'reversal-scheduler-cell', 'webhook-dispatcher-cell'];
    expect(podsOf(resources, 'managed-kafka')).toEqual(expect.arrayContaining(elsewhere));
    const inProduction = podsOf(resources, 'managed-kafka').filter(name => !elsewhere.includes(name));
    expect(sorted(inProduction)).toEqual(sorted(withKafka.map(workload => podLabelOf(workload))));
    const brokers = new Set(withKafka.map(({ metadata }) => settingsOf(resources, metadata.name)['KAFKA_BROKERS']));
    const [list, ...others] = [...brokers];
    expect(others).toEqual([]);
    const ports = new Set(list!.split(',').map(broker => broker.split(':')[1]));
    expect(waysOf(resources, 'managed-kafka')).toEqual([...ports].map(port => `192.0.2.16/28 TCP ${port}`));
    expect(JSON.stringify(resources.filter(({ kind }) => kind === 'ScaledObject'))).toContain(`"bootstrapServers":"${list}"`);
  });

  it('lets recipient-messages alone reach the mail server and the SMSC, on their usual ports', () => {
    for (const [name, port] of [
      ['smtp', 587],
      ['smpp', 3_550],
    ] as const) {
      expect(podsOf(resources, name)).toEqual(['recipient-messages']);
      expect(waysOf(resources, name)).toEqual([expect.stringMatching(new RegExp(`^192\\.0\\.2\\.4\\d/32 TCP ${port}$`))]);
    }
    expect(messages).toMatchObject({ EMAIL_FROM: 'payments@example.invalid' });
  });

  it('sends requests to receivers through the proxy and no other way (T-11)', () => {
    const { hostname, port } = new URL(dispatcher['OUTBOUND_PROXY']!);
    expect(settingsOf(resources, 'notification-config')['OUTBOUND_PROXY']).toBe(dispatcher['OUTBOUND_PROXY']);
    for (const service of ['webhook-dispatcher', 'notification-config']) {
      const blocks = waysOf(resources, service).filter(way => !way.startsWith('selected'));
      expect({ service, blocks }).toEqual({ service, blocks: [`${hostname}/32 TCP ${port}`] });
    }
    const global = policiesOf(resources).filter(([, policy]) => JSON.stringify(policy).includes('0.0.0.0/0'));
    expect(global.map(([name]) => name)).toEqual([]);
  });
});

describe.each(['managed-postgres', 'managed-kafka', 'smtp', 'smpp', 'sms-gateway', 'outbound-proxy', 'identity-providers'])(
  'component %s',
  component => {
    const added = addedBy(component);

    it('opens a way to addresses that belong to nobody, until an overlay replaces them', () => {
      const ranges = added.flatMap(([, policy]) =>
        policy.egress!.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? [])),
      );
      expect(ranges.length).toBeGreaterThan(0);
      expect(ranges.filter(range => !ipaddr.parseCIDR(range)[0].match(...documentation))).toEqual([]);
    });

    it('gives settings that the service reads, and secrets from files that are mounted', () => {
      const resources = renderWithBase(`components/${component}`);
      for (const service of resources.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name)) {
        const settings = Object.keys(settingsOf(resources, service)).filter(name => name !== 'NODE_OPTIONS');
        const unknown = settings.filter(
          name => !(name in environment[service]!) && !(name.replace(/_FILE$/, '') in environment[service]!),
        );
        expect({ service, unknown }).toEqual({ service, unknown: [] });
      }
    });
  },
);

it.each(['smtp', 'smpp', 'sms-gateway'])(
  'component %s takes its secret from the store, under the name in its settings',
  component => {
    const settings = settingsOf(renderWithBase(`components/${component}`), 'recipient-messages');
    const files = Object.entries(settings).filter(([key]) => /^(SMTP|SMS)_.*_FILE$/.test(key));
    const text = readFileSync(join(__dirname, `../../../k8s/components/${component}/kustomization.yaml`), 'utf8');
    expect(files).toHaveLength(1);
    const [[key, file]] = files as [[string, string]];
    expect(file).toBe(`/etc/paycode/secrets/${key.replace(/_FILE$/, '')}`);
    expect(text).toContain(`secretKey: ${key.replace(/_FILE$/, '')}`);
  },
);

it('component client-certificate gives both services a certificate and its key, and one of them the authority', () => {
  const resources = renderWithBase('components/external-secrets', 'components/client-certificate');
  const given = ['webhook-dispatcher', 'notification-config'].map(service => {
    const files = Object.entries(settingsOf(resources, service)).filter(([key]) => /^OUTBOUND_CLIENT_.*_FILE$/.test(key));
    const { data } = resources.find(({ metadata }) => metadata.name === `paycode-${service}`)!.spec as {
      data: { secretKey: string }[];
    };
    const keys = data.map(({ secretKey }) => `/etc/paycode/secrets/${secretKey}`);
    return files.filter(([, file]) => keys.includes(file)).map(([key]) => key.replace(/^OUTBOUND_CLIENT_|_FILE$/g, ''));
  });
  expect(given).toEqual([
    ['CERT', 'KEY'],
    ['CA', 'CERT', 'KEY'],
  ]);
});

it.each([
  ['dns-nodelocal', '169.254.20.10/32', 53],
  ['openshift', 'selected', 5353],
])('component %s lets every pod look names up, by UDP and TCP, and nothing else', (component, target, port) => {
  const [[, policy], ...others] = addedBy(component) as [[string, Policy]];
  expect(others).toEqual([]);
  expect(policy).toMatchObject({ podSelector: {}, policyTypes: ['Egress'] });
  expect(waysIn(policy)).toEqual([`${target} UDP ${port}`, `${target} TCP ${port}`]);
  for (const { to } of policy.egress!)
    for (const peer of to)
      expect(peer.ipBlock !== undefined || (peer.namespaceSelector && peer.podSelector) !== undefined).toBe(true);
});

/** Policies that the component adds to those of network-policies, or changes. */
function addedBy(component: string): [string, Policy][] {
  const known = new Map(
    policiesOf(renderWithBase('components/network-policies')).map(([name, policy]) => [name, JSON.stringify(policy)]),
  );
  const policies = policiesOf(renderWithBase('components/network-policies', `components/${component}`));
  const changed = policies.filter(([name, policy]) => known.get(name) !== JSON.stringify(policy));
  return changed.map(([name, policy]) => [
    name,
    { ...policy, egress: policy.egress!.filter(rule => !known.get(name)?.includes(JSON.stringify(rule))) },
  ]);
}

function policiesOf(resources: readonly Resource[]): [string, Policy][] {
  return resources.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec as Policy]);
}

function policyOf(resources: readonly Resource[], name: string): Policy {
  return new Map(policiesOf(resources)).get(name)!;
}

function podsOf(resources: readonly Resource[], name: string): string[] {
  const { matchLabels, matchExpressions = [] } = policyOf(resources, name).podSelector;
  return [...(matchLabels?.[outside] ? [matchLabels[outside]] : []), ...matchExpressions.flatMap(({ values = [] }) => values)];
}

function waysOf(resources: readonly Resource[], name: string): string[] {
  return waysIn(policyOf(resources, name));
}

/** E.g. `192.0.2.0/28 TCP 5432`; `selected` for pods. */
function waysIn({ egress = [] }: Policy): string[] {
  return egress.flatMap(({ to, ports }) =>
    to.flatMap(({ ipBlock }) => ports.map(({ protocol, port }) => `${ipBlock?.cidr ?? 'selected'} ${protocol} ${port}`)),
  );
}

function podLabelOf(resource: Resource): string {
  return podOf(resource).metadata.labels[outside]!;
}

function sorted(names: readonly string[]): string[] {
  return [...names].sort();
}
