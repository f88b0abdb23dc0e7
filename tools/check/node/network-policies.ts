import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import { openShop } from '../../run/demo/demo-merchant';
import { nodeAddress } from './machine-network';
import { PaymentsUnderWay } from './payments-under-way';
import { part, type Shop } from './shop';

const namespace = 'paycode';
const nameLabel = 'app.kubernetes.io/name';
/** Where pods may never get: the address of clouds' metadata, private ranges, and the API server of the cluster. */
const neverAllowed = ['169.254.169.254:80', '10.0.0.1:443', '10.96.0.1:443'];

/** Tries every address at once, and says which answered; and the addresses that the service's own settings name. */
const tryAll = `
const { connect } = require('node:net');
const open = address => new Promise(resolve => {
  const [host, port] = address.split(':');
  const socket = connect({ host, port: Number(port), timeout: 10_000 }, () => { socket.destroy(); resolve([address]); });
  socket.on('error', () => resolve([])).on('timeout', () => { socket.destroy(); resolve([]); });
});
const named = Object.entries(process.env).filter(([key]) => /_URL$/.test(key) && key !== 'PUBLIC_BASE_URL').map(([, value]) => new URL(value).host);
const database = process.env.DATABASE_URL_FILE ? ['postgres:5432'] : [];
Promise.all(process.argv.slice(1).map(open)).then(found => console.log(JSON.stringify({ open: found.flat(), named: [...named, ...database] })));`;

interface Ways {
  open: string[];
  named: string[];
}
interface ServiceList {
  items: { metadata: { name: string }; spec: { ports: { port: number }[] } }[];
}

/** The chart's network policies, by an engine on the node: each way that a service's settings name is open, and no other. */
export function describeNetworkPolicies(shop: Shop, isEngineThere: boolean): void {
  const notRun = isEngineThere ? '' : ' (not run: there is no kube-router on the PATH)';
  (isEngineThere ? describe : describe.skip)(`network policies${notRun}`, () => describeEnforced(shop));
}

function describeEnforced(shop: Shop): void {
  part(shop, 'without an engine every pod reaches every other, whatever the policies say', async () => {
    const { ground } = shop;
    await upgradeWithPolicies(shop);
    ground.apply(...ownPolicies());
    ground.kubectl('label', 'namespace', namespace, 'paycode.dev/provides=postgres', '--overwrite');
    const addresses = addressesOf(shop);
    for (const service of shop.ground.services()) {
      const others = addressesBut(service, addresses);
      expect({ service, open: waysOf(shop, service, others).open.sort() }).toEqual({ service, open: others });
    }
  });

  part(shop, 'with an engine each service reaches what its settings name, and nothing else', async () => {
    shop.ground.node.enforcePolicies();
    const addresses = addressesOf(shop);
    await eventually(() => {
      for (const service of shop.ground.services()) {
        const { open, named } = waysOf(shop, service, [...addressesBut(service, addresses), ...neverAllowed]);
        expect({ service, open: open.sort() }).toEqual({ service, open: [...new Set(named)].sort() });
      }
    }, 600_000);
    expect(shop.ground.node.ended()).toEqual([]);
  });

  part(shop, 'under the policies all pods are ready, a payment is settled, and `helm test` passes (R-8-1)', async () => {
    await shop.ground.isAllReady();
    await paysOnce(shop);
    const words = ['test', 'paycode', '-n', namespace, '--timeout', '280s'];
    expect(await shop.ground.plane.helm(words)).toMatchObject({ status: 0 });
  });
}

async function upgradeWithPolicies({ ground }: Shop): Promise<void> {
  const values = join(ground.folder, 'policies.json');
  writeFileSync(values, JSON.stringify({ networkPolicies: { enabled: true } }));
  const chart = join(__dirname, '../../../k8s/charts/paycode');
  const words = ['upgrade', 'paycode', chart, '-n', namespace, '--reuse-values', '-f', values, '--wait', '--timeout', '280s'];
  expect(await ground.plane.helm(words)).toMatchObject({ status: 0 });
}

/** As `host:port` of every Service. */
function addressesOf({ ground }: Shop): string[] {
  const { items } = JSON.parse(ground.inPaycode('get', 'services', '-o', 'json')) as ServiceList;
  return items.flatMap(({ metadata, spec }) => spec.ports.map(({ port }) => `${metadata.name}:${port}`)).sort();
}

/** No policy is between a pod and itself. */
function addressesBut(service: string, addresses: string[]): string[] {
  return addresses.filter(address => !address.startsWith(`${service}:`));
}

function waysOf({ ground }: Shop, service: string, addresses: string[]): Ways {
  return JSON.parse(ground.inPaycode('exec', `deployment/${service}`, '--', 'node', '-e', tryAll, ...addresses)) as Ways;
}

async function paysOnce(shop: Shop): Promise<void> {
  const merchant = await openShop(shop.ground.connection());
  const receiver = await MerchantReceiver.start(nodeAddress);
  try {
    receiver.encryptKey = await merchant.addHttp(receiver.url);
    const payments = new PaymentsUnderWay({ merchant, receiver, customers: 1 });
    await payments.more(1);
    const { errors, ends, paid } = await payments.end();
    expect({ errors, ends }).toEqual({ errors: [], ends: { SETTLED: paid } });
  } finally {
    await receiver.stop();
  }
}

/** What this node has in another place than a cluster: CoreDNS and the shop on the node itself, and PostgreSQL in the namespace of the services. */
function ownPolicies(): object[] {
  const node = { ipBlock: { cidr: `${nodeAddress}/32` } };
  const dns = ['UDP', 'TCP'].map(protocol => ({ protocol, port: 53 }));
  const anyOf = (...names: string[]) => ({ matchExpressions: [{ key: nameLabel, operator: 'In', values: names }] });
  return [
    policy('node-dns', { podSelector: {}, policyTypes: ['Egress'], egress: [{ to: [node], ports: dns }] }),
    policy('node-shop', {
      podSelector: anyOf('notification-config', 'webhook-dispatcher'),
      policyTypes: ['Egress'],
      egress: [{ to: [node] }],
    }),
    // Open to all, so that each service's own policy decides.
    policy('node-postgres', {
      podSelector: anyOf('postgres'),
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP', port: 5432 }] }],
    }),
  ];
}

function policy(name: string, spec: object): object {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name, namespace }, spec };
}
