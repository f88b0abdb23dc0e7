import ipaddr from 'ipaddr.js';
import { type Peer, type Policy, type Port, render, settingsOf } from './render';

const label = 'app.kubernetes.io/name';

describe.each(['sandbox', 'production'])('network policies of %s', overlay => {
  const resources = render(`k8s/overlays/${overlay}`);
  const of = (kind: string) => resources.filter(resource => resource.kind === kind);
  const policies = new Map(of('NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec as Policy]));
  const services = of('Deployment').map(({ metadata }) => metadata.name);
  const ownRules = (name: string) => policies.get(name)!;

  it('deny everything that is not named, in and out', () => {
    expect(ownRules('default-deny')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(services.filter(service => !policies.has(service))).toEqual([]);
    for (const service of services)
      expect(ownRules(service)).toMatchObject({
        podSelector: { matchLabels: { [label]: service } },
        policyTypes: ['Ingress', 'Egress'],
      });
  });

  it('let a service reach exactly the services its settings name, on both ends', () => {
    for (const service of services) {
      const wanted = calledBy(settingsOf(resources, service)).filter(({ host }) => services.includes(host));
      const allowed = (ownRules(service).egress ?? [])
        .flatMap(rule => podsOf(rule.to, rule.ports))
        .filter(({ host }) => services.includes(host));
      expect({ service, calls: sorted(allowed) }).toEqual({ service, calls: sorted(wanted) });
      for (const { host, port } of wanted) {
        const entries = (ownRules(host).ingress ?? []).flatMap(rule => podsOf(rule.from, rule.ports));
        expect(entries).toContainEqual({ host: service, port });
      }
    }
  });

  it('only delivery and URL validation reach the Internet, and there only global addresses on allowed ports (T-11)', () => {
    const open = services.filter(service => ownRules(service).egress?.some(rule => rule.to.some(({ ipBlock }) => ipBlock)));
    expect(open.sort()).toEqual(['notification-config', 'webhook-dispatcher']);
    for (const service of open) {
      const rule = ownRules(service).egress!.find(({ to }) => to.some(({ ipBlock }) => ipBlock))!;
      expect(rule.ports.map(({ port }) => port)).toEqual(overlay === 'sandbox' ? [443, 8_443, 80, 8_080] : [443, 8_443]);
      const inward = [
        '10.1.2.3',
        '172.16.0.1',
        '192.168.1.1',
        '127.0.0.1',
        '169.254.169.254',
        '100.64.0.1',
        '0.0.0.0',
        '224.0.0.1',
        '::1',
        'fd00:ec2::254',
        'fe80::1',
        '::ffff:10.0.0.1',
        '64:ff9b::a00:1',
      ];
      expect(inward.filter(address => isReachable(address, rule.to))).toEqual([]);
      expect(['1.1.1.1', '93.184.216.34', '2606:4700::1111'].filter(address => isReachable(address, rule.to))).toHaveLength(3);
    }
  });

  it('let exactly the services reach Kafka and PostgreSQL that have their addresses', () => {
    const dataServices = { postgres: 'DATABASE_URL_FILE', kafka: 'KAFKA_BROKERS' };
    for (const [provider, key] of Object.entries(dataServices)) {
      const isAllowed = (service: string) =>
        ownRules(service).egress?.some(({ to }) =>
          to.some(peer => peer.namespaceSelector?.matchLabels?.['paycode.dev/provides'] === provider),
        );
      expect(services.filter(isAllowed)).toEqual(services.filter(service => key in settingsOf(resources, service)));
    }
  });

  it('from outside the platform only the monitoring reaches an internal listener (T-27)', () => {
    const internalPorts = new Set(services.map(service => Number(settingsOf(resources, service)['INTERNAL_PORT'])));
    for (const service of services) {
      for (const rule of ownRules(service).ingress ?? []) {
        if (rule.ports.some(({ port }) => internalPorts.has(Number(port))))
          expect(rule.from.every(({ podSelector }) => podSelector)).toBe(true);
      }
    }
    expect(ownRules('allow-metrics').ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'paycode.dev/provides': 'monitoring' } } }],
        ports: [{ protocol: 'TCP', port: 'internal' }],
      },
    ]);
  });
});

/** Host and port of every internal address among the settings. */
function calledBy(settings: Record<string, string>): { host: string; port: number }[] {
  const urls = Object.entries(settings).filter(([key]) => /_URL$/.test(key) && key !== 'PUBLIC_BASE_URL');
  return urls.map(([, value]) => new URL(value)).map(({ hostname, port }) => ({ host: hostname, port: Number(port) }));
}

function podsOf(peers: Peer[], ports: Port[]): { host: string; port: number }[] {
  const names = peers.flatMap(({ podSelector }) => podSelector?.matchLabels?.[label] ?? []);
  return names.flatMap(host => ports.map(({ port }) => ({ host, port: Number(port) })));
}

function isReachable(address: string, peers: Peer[]): boolean {
  // An IPv4-mapped address leaves the machine as the IPv4 address that it is.
  const parsed = ipaddr.process(address);
  const within = (cidr: string): boolean => {
    const [base, bits] = ipaddr.parseCIDR(cidr);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  };
  return peers.some(({ ipBlock }) => ipBlock && within(ipBlock.cidr) && !ipBlock.except!.some(within));
}

function sorted<T extends { host: string; port: number }>(calls: T[]): T[] {
  return [...calls].sort((a, b) => `${a.host}${a.port}`.localeCompare(`${b.host}${b.port}`));
}
