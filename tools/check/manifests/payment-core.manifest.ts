import { topicCatalog } from '@paycode/dto';
import { type External, type Peer, type Policy, render, renderWithBase, type Resource, settingsOf } from './render';

interface User {
  authorization: { acls: { resource: { type: string; name: string }; operations: string[] }[] };
}

const namesOf = (resources: readonly Resource[], kind: string): string[] =>
  resources.filter(resource => resource.kind === kind).map(({ metadata }) => metadata.name);
const specOf = <T>(resources: readonly Resource[], kind: string, name: string): T =>
  resources.find(resource => resource.kind === kind && resource.metadata.name === name)!.spec as T;
/** E.g. `pods auth-session 3101`, `namespace kafka 9093`, `192.0.2.50/32 3205`. */
const ways = (rules: { peers: Peer[]; ports: { port: number | string }[] }[]): string[] =>
  rules.flatMap(({ peers, ports }) => peers.flatMap(peer => ports.map(({ port }) => `${nameOf(peer)} ${port}`))).sort();
const nameOf = ({ podSelector, namespaceSelector, ipBlock }: Peer): string => {
  if (ipBlock) return ipBlock.cidr;
  return podSelector
    ? `pods ${podSelector.matchLabels?.['app.kubernetes.io/name']}`
    : `namespace ${namespaceSelector?.matchLabels?.['paycode.dev/provides']}`;
};
const inward = ({ ingress = [] }: Policy) => ways(ingress.map(({ from, ports }) => ({ peers: from, ports })));
const outward = ({ egress = [] }: Policy) => ways(egress.map(({ to, ports }) => ({ peers: to, ports })));

describe('a payment core in the cluster', () => {
  const resources = renderWithBase('components/network-policies', 'components/external-secrets', 'components/payment-core');
  const policy = (name: string) => specOf<Policy>(resources, 'NetworkPolicy', name);

  it('is reached by the gateway alone, at the host and port of its settings', () => {
    const url = new URL(settingsOf(render('k8s/overlays/production'), 'api-gateway')['PAYMENT_SIMULATOR_PUBLIC_URL']!);
    expect(specOf<{ ports: { port: number }[] }>(resources, 'Service', url.hostname).ports[0]!.port).toBe(Number(url.port));
    expect(inward(policy('payment-core'))).toEqual([`pods api-gateway ${url.port}`]);
    expect(outward(policy('api-gateway'))).toContain(`pods payment-core ${url.port}`);
  });

  it('reaches Kafka, keys and merchants, and both sides say so', () => {
    expect(outward(policy('payment-core'))).toEqual([
      'namespace kafka 9093',
      'pods auth-session 3101',
      'pods notification-config 3102',
    ]);
    expect(inward(policy('auth-session'))).toContain('pods payment-core 3101');
    expect(inward(policy('notification-config'))).toContain('pods payment-core 3102');
  });

  it('gets the payload keys that the services have, and a token key and a certificate of its own', () => {
    const keysOf = (name: string): Record<string, string> => {
      const { data } = specOf<External>(resources, 'ExternalSecret', name);
      return Object.fromEntries(data.map(({ secretKey, remoteRef }) => [secretKey, remoteRef.key]));
    };
    const core = keysOf('paycode-payment-core');
    expect(core['PAYLOAD_KEYS']).toBe(keysOf('paycode-webhook-dispatcher')['PAYLOAD_KEYS']);
    const own = ['SERVICE_TOKEN_PRIVATE_KEY', 'MUTUAL_TLS_CERT', 'MUTUAL_TLS_KEY'];
    for (const name of own) expect(core[name]).toMatch(/^paycode\/payment-core\//);
  });
});

describe('a payment core outside the cluster', () => {
  const resources = renderWithBase('components/network-policies', 'components/payment-core-elsewhere');
  const policy = (name: string) => specOf<Policy>(resources, 'NetworkPolicy', name);

  it('keeps its name and port, and has one address in every policy, Service and EndpointSlice', () => {
    const slice = resources.find(({ kind }) => kind === 'EndpointSlice') as unknown as { endpoints: { addresses: string[] }[] };
    const [address] = slice.endpoints[0]!.addresses;
    expect(specOf<object>(resources, 'Service', 'payment-core')).not.toHaveProperty('selector');
    expect(outward(policy('payment-core-from-gateway'))).toEqual([`${address}/32 3205`]);
    expect(inward(policy('payment-core-to-auth-session'))).toEqual([`${address}/32 3101`]);
    expect(inward(policy('payment-core-to-notification-config'))).toEqual([`${address}/32 3102`]);
    const open = resources.filter(({ kind, spec }) => kind === 'Service' && (spec as { type?: string }).type === 'LoadBalancer');
    expect(open.map(({ metadata }) => metadata.name)).toEqual(['auth-session-for-core', 'notification-config-for-core']);
    for (const { spec } of open)
      expect(spec).toMatchObject({ loadBalancerSourceRanges: [`${address}/32`], externalTrafficPolicy: 'Local' });
  });
});

describe.each([
  ['data-services', 'payment-simulator', 'payment-core'],
  ['data-services-production', 'payment-core', 'payment-simulator'],
])('overlay %s', (overlay, core, other) => {
  const resources = render(`k8s/overlays/${overlay}`);

  it(`creates the user, password and dead letters of ${core}, and nothing of ${other}`, () => {
    expect(namesOf(resources, 'KafkaUser')).toContain(core);
    expect(namesOf(resources, 'ExternalSecret')).toContain(`${core}-password`);
    expect(namesOf(resources, 'KafkaTopic')).toContain(`paycode.transaction.reversal-requested.v1.${core}.dlq`);
    const strange = resources.filter(({ kind, ...rest }) => kind !== 'KafkaUser' && JSON.stringify(rest).includes(other));
    expect(strange.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([]);
    expect(namesOf(resources, 'KafkaUser')).not.toContain(other);
  });

  it(`lets ${core} write what a core announces and read what it is asked, and nothing else (T-19)`, () => {
    const { acls } = specOf<User>(resources, 'KafkaUser', core).authorization;
    const may = (operation: string, type: string) =>
      acls
        .filter(({ resource, operations }) => resource.type === type && operations.includes(operation))
        .map(({ resource }) => resource.name);
    const topicOf = (type: string) => topicCatalog.find(({ name }) => name.includes(type))!.name;
    const requests = topicOf('reversal-requested');
    expect(may('Write', 'topic').sort()).toEqual([`${requests}.${core}.dlq`, topicOf('terminal')].sort());
    expect(may('Read', 'topic')).toEqual([requests]);
    expect(may('Read', 'group')).toEqual([core]);
  });
});
