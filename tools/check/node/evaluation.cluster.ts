import { eventually } from '@paycode/service-runtime/testing';
import { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import { openShop } from '../../run/demo/demo-merchant';
import { describeChart } from './chart';
import { EvaluationGround, programsOfRun } from './evaluation-ground';
import { describeFailures } from './failures';
import { nodeAddress } from './machine-network';
import { describeNetworkPolicies } from './network-policies';
import { PaymentsUnderWay } from './payments-under-way';
import { describeReplacement } from './replacement';
import { part, type Shop } from './shop';

/** Long enough that a POST is in flight whatever happens to the dispatcher, and far from the 45 s. */
const answersAfterMs = 3_000;

describe('the evaluation overlay on a Kubernetes node', () => {
  const shop = {} as Shop;
  beforeAll(async () => void (shop.ground = await EvaluationGround.start()));
  afterAll(async () => {
    const { ground, receiver } = shop as Partial<Shop>;
    await receiver?.stop();
    await ground?.stop();
  });
  describeArrival(shop);
  describeReplacement(shop);
  describeFailures(shop);
  describeChart(shop);
  describeNetworkPolicies(shop, programsOfRun().policies !== undefined);
});

function describeArrival(shop: Shop): void {
  part(shop, 'a node becomes ready', async () => {
    await eventually(async () => expect(await shop.ground.isNodeReady()).toBe(true));
    expect(shop.ground.node.ended()).toEqual([]);
  });

  part(shop, 'the commands of the page bring every service up, under Pod Security restricted', async () => {
    shop.ground.applyOverlay();
    shop.ground.rolledOut('statefulset/postgres');
    for (const service of shop.ground.services()) shop.ground.rolledOut(`deployment/${service}`);
    // A service that was available for a moment may have ended again while PostgreSQL was starting.
    await shop.ground.isAllReady();
  });

  part(shop, 'the demo settles one payment and reverses one (R-8-1)', async () => {
    shop.ground.inPaycode('create', 'job', 'demo', '--from=cronjob/demo');
    await shop.ground.isJobOver('demo');
    const story = shop.ground.inPaycode('logs', 'job/demo');
    expect(story).toMatch(/answered 200\): SETTLED/);
    expect(story).toMatch(/answered 503\): REVERSED/);
  });

  part(shop, 'a shop outside of the pods is told through the Services', async () => {
    const platform = shop.ground.connection();
    shop.merchant = await openShop(platform);
    shop.receiver = await MerchantReceiver.start(nodeAddress);
    shop.receiver.encryptKey = await shop.merchant.addHttp(shop.receiver.url);
    const payments = new PaymentsUnderWay({ ...shop, customers: 1 });
    await payments.more(2);
    expect(await payments.end()).toMatchObject({ errors: [], ends: { SETTLED: expect.any(Number) as number } });
    shop.receiver.answer = () => new Promise(resolve => setTimeout(resolve, answersAfterMs, 200));
  });
}
