import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import { paysOnce } from './first-payment';
import { nodeAddress } from './machine-network';
import { addressesBut, neverAllowed, serviceAddresses, waysOf } from './pod-ways';
import { part, type Shop } from './shop';

const namespace = 'paycode';
const nameLabel = 'app.kubernetes.io/name';
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
    const addresses = serviceAddresses(shop.ground);
    for (const service of shop.ground.services()) {
      const others = addressesBut(service, addresses);
      expect({ service, open: waysOf(shop.ground, service, others).open }).toEqual({ service, open: others });
    }
  });

  part(shop, 'with an engine each service reaches what its settings name, and nothing else', async () => {
    shop.ground.node.enforcePolicies();
    const addresses = serviceAddresses(shop.ground);
    await eventually(() => {
      for (const service of shop.ground.services()) {
        const { open, named } = waysOf(shop.ground, service, [...addressesBut(service, addresses), ...neverAllowed]);
        expect({ service, open }).toEqual({ service, open: named });
      }
    }, 600_000);
    expect(shop.ground.node.ended()).toEqual([]);
  });

  part(shop, 'under the policies all pods are ready, a payment is settled, and `helm test` passes (R-8-1)', async () => {
    await shop.ground.isAllReady();
    await settlesUnderPolicies(shop);
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

async function settlesUnderPolicies({ ground }: Shop): Promise<void> {
  const receiver = await MerchantReceiver.start(nodeAddress);
  await paysOnce(ground.connection(), receiver).finally(() => receiver.stop());
}

const node = { ipBlock: { cidr: `${nodeAddress}/32` } };

/** CoreDNS runs on this node itself, and in no pod. */
export function dnsPolicy(): object {
  const ports = ['UDP', 'TCP'].map(protocol => ({ protocol, port: 53 }));
  return policy('node-dns', { podSelector: {}, policyTypes: ['Egress'], egress: [{ to: [node], ports }] });
}

/** Policies for parts that a cluster has elsewhere: CoreDNS and the shop on the node itself, and PostgreSQL in the namespace of the services. */
function ownPolicies(): object[] {
  const anyOf = (...names: string[]) => ({ matchExpressions: [{ key: nameLabel, operator: 'In', values: names }] });
  return [
    dnsPolicy(),
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
