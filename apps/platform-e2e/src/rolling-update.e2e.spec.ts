import { rm } from 'node:fs/promises';
import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode } from './testing/platform';
import { patientWindows, temporaryFolder } from './testing/platform-process';
import { ReplicatedPlatform, serviceNames, type ServiceName } from './testing/replicated-platform';

/** An endpoint that never answered begins with fewer slots than these; together they are a thousand. */
const merchants = 25;
const paymentsEach = 40;

const folder = temporaryFolder();
let platform: ReplicatedPlatform;
beforeAll(async () => (platform = await ReplicatedPlatform.start(folder, patientWindows)));
afterAll(async () => {
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Each service is replaced under load, old and new side by side: nobody outside notices. */
describe('a rolling update', () => {
  const posts = new Map<number, number>();
  let shop: MerchantWithReceiver;

  beforeAll(async () => {
    shop = await makeMerchantWithReceiver(platform.connection);
    shop.receiver.answer = ({ transactionId }) => {
      posts.set(transactionId, (posts.get(transactionId) ?? 0) + 1);
      return 200;
    };
  });
  afterAll(() => shop?.receiver.stop());

  /** Customers who pay one after the other, each asked by the merchant for what it sold, until told to stop. Gives what was paid. */
  function load(customers: number) {
    let isOver = false;
    const paid: number[] = [];
    const errors: unknown[] = [];
    const customer = async () => {
      while (!isOver) {
        try {
          const transactionId = await payNewCode(shop.merchant);
          paid.push(transactionId);
          const { status, text } = await shop.merchant.getNotification(
            paid[paid.length - 1 - (paid.length % 5)] ?? transactionId,
          );
          // 404 means that the notification does not exist yet, which is allowed; every other error fails the test.
          if (status !== 200 && status !== 404) throw new Error(`getNotification: ${status} ${text}`);
        } catch (error) {
          errors.push(error);
        }
      }
    };
    const done = Promise.all(Array.from({ length: customers }, customer));
    return {
      paid,
      errors,
      stop: async () => {
        isOver = true;
        await done;
      },
    };
  }

  async function replaceUnderLoad(name: ServiceName) {
    const [old] = platform.replicasOf(name);
    const traffic = load(4);
    const more = async (count: number) => {
      const before = traffic.paid.length;
      await eventually(() => expect(traffic.paid.length + traffic.errors.length).toBeGreaterThan(before + count));
    };
    const replace = async () => {
      await more(6);
      await platform.add(name);
      await more(6);
      platform.withdraw(name, old!);
      await more(6);
      const exitCode = old!.stop();
      await more(12);
      const code = await exitCode;
      await more(6);
      return code;
    };
    const exitCode = await replace().finally(() => traffic.stop());
    return { ...traffic, exitCode };
  }

  it.each(serviceNames)('of %s causes no error answer, no second POST and no reversal (P-T9)', async name => {
    const { paid, errors, exitCode } = await replaceUnderLoad(name);
    const unavailable = platform.logged('api-gateway', 'request failed');
    expect({ errors: errors.map(String), unavailable, exitCode }).toEqual({ errors: [], unavailable: [], exitCode: 0 });
    await eventually(async () => {
      const states = await Promise.all(paid.map(id => shop.merchant.reversal(id)));
      expect(states.filter(state => state?.state !== 'SETTLED')).toEqual([]);
    });
    expect(paid.filter(id => (posts.get(id) ?? 0) > 1)).toEqual([]);
  });
});

/** A dispatcher that is told to stop finishes what it has begun, however much it is. */
describe('SIGTERM with 1,000 POSTs in flight', () => {
  const posts = new Map<number, number>();
  const shops: MerchantWithReceiver[] = [];
  let mayAnswer: () => void;

  beforeAll(async () => {
    const held = new Promise<void>(resolve => (mayAnswer = resolve));
    for (let at = 0; at < merchants; at++) {
      const shop = await makeMerchantWithReceiver(platform.connection);
      shop.receiver.answer = async ({ transactionId }) => {
        posts.set(transactionId, (posts.get(transactionId) ?? 0) + 1);
        await held;
        return 200;
      };
      shops.push(shop);
    }
  });
  afterAll(async () => {
    mayAnswer();
    await Promise.all(shops.map(({ receiver }) => receiver.stop()));
  });

  const payment = (merchantId: number) => ({ merchantId, amount: 10, currencyCode: 'ZAR', txState: 'SUCCESS' });

  it('each is acknowledged, none is sent again or reversed, and the process ends with 0 (P-T9)', async () => {
    const body = shops.flatMap(({ merchant }) => Array.from({ length: paymentsEach }, () => payment(merchant.merchantId)));
    const call = { method: 'POST', path: '/internal/transactions', body };
    const answer = await platform.connection.operator('payment-simulator', call);
    expect(answer.status).toBe(201);
    await eventually(() => expect(posts.size).toBe(merchants * paymentsEach));
    const [dispatcher] = platform.replicasOf('webhook-dispatcher');
    platform.withdraw('webhook-dispatcher', dispatcher!);
    const exitCode = dispatcher!.stop();
    const ready = `http://127.0.0.1:${dispatcher!.ports.internal}/health/ready`;
    await eventually(async () => expect((await fetch(ready)).status).toBe(503));
    mayAnswer();
    expect(await exitCode).toBe(0);
    // The next dispatcher finds nothing left to send.
    await platform.add('webhook-dispatcher');
    await eventually(async () => {
      const states = await Promise.all([...posts.keys()].map(id => shops[0]!.merchant.reversal(id)));
      expect(states.filter(state => state?.state !== 'SETTLED')).toEqual([]);
    });
    expect([...posts.values()].filter(count => count > 1)).toEqual([]);
    expect(platform.logged('webhook-dispatcher', 'stop-timeout')).toEqual([]);
  });
});
