import { rm } from 'node:fs/promises';
import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchantWithReceiver, type MerchantWithReceiver } from './testing/platform';
import { patientWindows, temporaryFolder } from './testing/platform-process';
import { ReplicatedPlatform } from './testing/replicated-platform';

/** An endpoint that never answered begins with fewer slots than these; together they are a thousand. */
const merchants = 25;
const paymentsEach = 40;

/** A dispatcher that is told to stop finishes what it has begun, however much it is. */
describe('SIGTERM with 1,000 POSTs in flight', () => {
  const folder = temporaryFolder();
  const posts = new Map<number, number>();
  const shops: MerchantWithReceiver[] = [];
  let platform: ReplicatedPlatform;
  let mayAnswer: () => void;

  beforeAll(async () => {
    platform = await ReplicatedPlatform.start(folder, patientWindows);
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
    await platform?.stop();
    await rm(folder, { recursive: true, force: true });
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
