import { eventually } from '@paycode/service-runtime/testing';
import { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import { EvaluationGround, programsOfRun } from './evaluation-ground';
import { paysOnce } from './first-payment';
import { addPublicAddress } from './machine-network';
import { dnsPolicy } from './network-policies';
import { addressesBut, neverAllowed, serviceAddresses, waysOf } from './pod-ways';
import { SandboxGround } from './sandbox-ground';
import { part, type Shop } from './shop';

/** One of the Internet, which here is the node's own; webhooks of the sandbox may go to its port 8080, and to no other of the test's. */
const shopAddress = '8.8.4.4';
const shopPort = 8080;
const otherPort = 8081;
const delivering = ['notification-config', 'webhook-dispatcher'];
const dataServices = ['paycode-rw.postgres:5432', 'paycode-kafka-bootstrap.kafka:9093'];

describe('the sandbox overlay on a Kubernetes node', () => {
  const shop = {} as Shop;
  const own = {} as { sandbox: SandboxGround; other: MerchantReceiver };
  beforeAll(async () => {
    shop.ground = await EvaluationGround.start();
    addPublicAddress(shopAddress);
    own.sandbox = await SandboxGround.start(shop.ground);
    shop.receiver = await MerchantReceiver.start(shopAddress, shopPort);
    own.other = await MerchantReceiver.start(shopAddress, otherPort);
  });
  afterAll(async () => {
    const { sandbox, other } = own as Partial<typeof own>;
    await (shop as Partial<Shop>).receiver?.stop();
    await other?.stop();
    await (shop as Partial<Shop>).ground?.stop();
    await sandbox?.stop();
  });

  part(shop, 'every service comes up with the secrets of `paycode secrets init`, behind the Jobs that migrate', async () => {
    await eventually(async () => expect(await shop.ground.isNodeReady()).toBe(true));
    const leftOut = own.sandbox.apply();
    process.stdout.write(`left to test:cluster: ${leftOut.join(', ')}\n`);
    shop.ground.apply(dnsPolicy());
    await own.sandbox.isUp();
  });

  part(shop, 'each service is connected to PostgreSQL over TLS, as the role of its Secret and as no other', async () => {
    await eventually(async () => expect(await own.sandbox.rolesConnected()).toEqual(own.sandbox.rolesOfSecrets()));
  });

  part(shop, 'a payment goes through Kafka, as the users of the manifests, to a public address, and is settled (R-8-1)', () =>
    paysOnce(own.sandbox.connection(), shop.receiver),
  );

  const notRun = programsOfRun().policies === undefined ? ' (not run: there is no kube-router on the PATH)' : '';
  (notRun ? describe.skip : describe)(`network policies${notRun}`, () => describePolicies(shop, own));
});

function describePolicies(shop: Shop, own: { sandbox: SandboxGround }): void {
  const places = () => [
    ...serviceAddresses(shop.ground),
    ...dataServices,
    `${shopAddress}:${shopPort}`,
    `${shopAddress}:${otherPort}`,
  ];

  part(shop, 'without an engine every pod of the sandbox reaches every place', () => {
    for (const service of shop.ground.services()) {
      const others = addressesBut(service, places()).sort();
      expect({ service, open: waysOf(shop.ground, service, others).open }).toEqual({ service, open: others });
    }
  });

  part(
    shop,
    'with an engine each reaches what its settings name, two reach shops on the ports of the sandbox, none anything else',
    async () => {
      shop.ground.node.enforcePolicies();
      await eventually(() => {
        for (const service of shop.ground.services()) {
          const { open, named } = waysOf(shop.ground, service, [...addressesBut(service, places()), ...neverAllowed]);
          const shops = delivering.includes(service) ? [`${shopAddress}:${shopPort}`] : [];
          expect({ service, open }).toEqual({ service, open: [...named, ...shops].sort() });
        }
      }, 600_000);
      expect(shop.ground.node.ended()).toEqual([]);
    },
  );

  part(shop, 'under the policies every pod is ready, and a payment is settled (R-8-1)', async () => {
    await shop.ground.isAllReady();
    await paysOnce(own.sandbox.connection(), shop.receiver);
  });
}
