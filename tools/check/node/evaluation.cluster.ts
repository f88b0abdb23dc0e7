import { eventually } from '@paycode/service-runtime/testing';
import { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import type { Merchant } from '../../../libs/platform-client/src/merchant';
import { openShop } from '../../run/demo/demo-merchant';
import { EvaluationGround, type Pod } from './evaluation-ground';
import { nodeAddress } from './machine-network';
import { type PaymentsReport, PaymentsUnderWay } from './payments-under-way';

const customers = 4;
/** Long enough that a POST is in flight whatever happens to the dispatcher, and far from the 45 s. */
const answersAfterMs = 3_000;

interface Shop {
  ground: EvaluationGround;
  receiver: MerchantReceiver;
  merchant: Merchant;
  /** Something failed: what the programs said last is shown. */
  isInNeed: boolean;
}

describe('the evaluation overlay on a Kubernetes node', () => {
  const shop = { isInNeed: true } as Shop;
  beforeAll(async () => void (shop.ground = await EvaluationGround.start()));
  afterAll(async () => {
    const { isInNeed, ground, receiver } = shop as Partial<Shop>;
    if (isInNeed && ground) process.stderr.write(`${ground.node.logs()}\n${ground.described()}\n`);
    await receiver?.stop();
    await ground?.stop();
  });
  describeArrival(shop);
  describeReplacement(shop);
  describeFailures(shop);
});

function describeArrival(shop: Shop): void {
  it('a node becomes ready', async () => {
    await eventually(async () => expect(await shop.ground.isNodeReady()).toBe(true));
    expect(shop.ground.node.ended()).toEqual([]);
  });

  it('the commands of the page bring every service up, under Pod Security restricted', async () => {
    shop.ground.applyOverlay();
    shop.ground.rolledOut('statefulset/postgres');
    for (const service of shop.ground.services()) shop.ground.rolledOut(`deployment/${service}`);
    // A service that was available for a moment may have ended again while PostgreSQL was starting.
    await shop.ground.isAllReady();
  });

  it('the demo settles one payment and reverses one (R-8-1)', async () => {
    shop.ground.inPaycode('create', 'job', 'demo', '--from=cronjob/demo');
    await shop.ground.isJobOver('demo');
    const story = shop.ground.inPaycode('logs', 'job/demo');
    expect(story).toMatch(/answered 200\): SETTLED/);
    expect(story).toMatch(/answered 503\): REVERSED/);
  });

  it('a shop outside of the pods is told through the Services', async () => {
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

function describeReplacement(shop: Shop): void {
  it('two dispatchers and two gateways are replaced under load: no error, no reversal, no second POST', async () => {
    shop.ground.inPaycode('scale', '--replicas=2', 'deployment/webhook-dispatcher', 'deployment/api-gateway');
    for (const service of ['webhook-dispatcher', 'api-gateway']) shop.ground.rolledOut(`deployment/${service}`);
    await undisturbed(shop, async () => {
      shop.ground.inPaycode('rollout', 'restart', 'deployment/webhook-dispatcher', 'deployment/api-gateway');
      await shop.ground.isRolledOut('webhook-dispatcher', 'api-gateway');
    });
  });

  it('the dispatcher is scaled from 2 to 4 to 2 with POSTs in flight: no error, no reversal, no second POST', async () => {
    await undisturbed(shop, async payments => {
      shop.ground.inPaycode('scale', '--replicas=4', 'deployment/webhook-dispatcher');
      await shop.ground.isRolledOut('webhook-dispatcher');
      await payments.more(customers);
      shop.ground.inPaycode('scale', '--replicas=2', 'deployment/webhook-dispatcher');
      await eventually(async () => expect(await shop.ground.allPods('webhook-dispatcher')).toHaveLength(2), 240_000);
    });
  });

  it('every dispatcher is evicted, one after the other as its budget allows: no error, no reversal, no second POST', async () => {
    shop.ground.applyBudget('webhook-dispatcher');
    await undisturbed(shop, async () => {
      for (const pod of await shop.ground.pods('webhook-dispatcher')) {
        await eventually(async () => expect(await shop.ground.evict(pod)).toBe(201), 240_000);
        await shop.ground.isRolledOut('webhook-dispatcher');
      }
    });
  });
}

function describeFailures(shop: Shop): void {
  it('a dispatcher whose process is killed with a POST in flight: the payment still settles', async () => {
    const payments = new PaymentsUnderWay({ ...shop, customers });
    await payments.more(customers);
    for (const pod of await shop.ground.pods('webhook-dispatcher')) shop.ground.node.killContainer(containerOf(pod));
    await eventually(async () => {
      const restarts = (await shop.ground.pods('webhook-dispatcher')).map(
        ({ status }) => status.containerStatuses?.[0]?.restartCount ?? 0,
      );
      expect(restarts.filter(count => count > 0)).toHaveLength(2);
    });
    const { errors, paid, ends } = await payments.end();
    expect({ errors, ends }).toEqual({ errors: [], ends: { SETTLED: paid } });
  });

  it('kubelet and containerd are restarted: pods go on, no error, no reversal, no second POST', async () => {
    const before = await shop.ground.containers();
    await undisturbed(shop, async payments => {
      await shop.ground.node.restartDaemons();
      await payments.more(customers);
      await eventually(async () => expect(await shop.ground.isNodeReady()).toBe(true));
    });
    expect(await shop.ground.containers()).toEqual(before);
  });

  it('npm run audit finds no violation in all of it', () => {
    const report = shop.ground.audit();
    expect(report).toMatchObject({ open: 0, violationCount: 0, violations: [] });
    expect(report.transactions).toBeGreaterThan(customers);
    shop.isInNeed = false;
  });
}

/** Payments are made before, during and after; each is settled by exactly one POST. */
async function undisturbed(shop: Shop, disturb: (payments: PaymentsUnderWay) => Promise<void>): Promise<void> {
  const payments = new PaymentsUnderWay({ ...shop, customers });
  let report: PaymentsReport | undefined;
  try {
    await payments.more(customers);
    await disturb(payments);
    await payments.more(customers);
  } finally {
    report = await payments.end();
  }
  const { errors, paid, ends, posts } = report;
  expect({ errors, ends, posts }).toEqual({ errors: [], ends: { SETTLED: paid }, posts: { 1: paid } });
}

function containerOf({ status }: Pod): string {
  return status.containerStatuses![0]!.containerID!.replace('containerd://', '');
}
