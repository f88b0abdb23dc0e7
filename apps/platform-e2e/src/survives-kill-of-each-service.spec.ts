import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { accepted } from '@paycode/platform-client';
import { OutboxFolder } from './testing/outbox-folder';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

const services = [
  'api-gateway',
  'auth-session',
  'notification-config',
  'payment-simulator',
  'recipient-messages',
  'reversal-scheduler',
  'webhook-dispatcher',
];

/** A service that is killed while a payment is under way is started again, and the payment still ends as the merchant answered. */
describe('kill -9 of a service during a payment', () => {
  let shop: MerchantWithReceiver;
  beforeAll(async () => (shop = await makeMerchantWithReceiver(sharedPlatform())));
  afterAll(() => shop.receiver.stop());

  const pidOf = (service: string) => sharedPlatform().standalone.processes[service]!;

  /** Kills the service while the receiver holds the answer back; gives the transaction once the receiver has answered. */
  async function payWhileKilling(service: string, answer: number): Promise<number> {
    const killed = pidOf(service);
    const kill = killOnce(killed);
    const isBack = () =>
      eventually(async () => {
        expect(pidOf(service)).not.toBe(killed);
        await isReady(service);
      });
    shop.receiver.answer = async ({ status }) => {
      if (status !== 'SUCCESS') return 200;
      kill();
      await isBack();
      return answer;
    };
    const transactionId = await payNewCode(shop.merchant);
    await shop.receiver.webhook(each => each.transactionId === transactionId);
    await isBack();
    return transactionId;
  }

  it.each(services)('%s: an acknowledged payment is settled (A-13)', async service => {
    const transactionId = await payWhileKilling(service, 200);
    await eventually(async () => expect(await shop.merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
    expect(await shop.merchant.transaction(transactionId)).toMatchObject({ status: 'SUCCESS' });
  });

  it.each(services)('%s: a refused payment is reversed', async service => {
    const transactionId = await payWhileKilling(service, 503);
    await eventually(async () => expect(await shop.merchant.transaction(transactionId)).toMatchObject({ status: 'REVERSED' }));
    expect(await shop.merchant.reversal(transactionId)).toMatchObject({ state: 'REVERSED' });
  });

  it('recipient-messages: the e-mail about a payment made while it is away leaves once it is back (R-6.2-3)', async () => {
    const { merchantId } = shop.merchant;
    const platform = sharedPlatform();
    const value = `owner-${merchantId}@shop.example`;
    const path = '/portal/restful/merchant/notification/extra';
    const call = { method: 'POST', path, body: { merchantId, type: 'EMAIL', value }, as: platform.account('psp-1') };
    accepted('extra', await platform.gateway(call));
    shop.receiver.answer = () => 200;
    process.kill(pidOf('recipient-messages'), 'SIGKILL');
    const transactionId = await payNewCode(shop.merchant);
    const outbox = new OutboxFolder(process.env['PAYCODE_E2E_HOME']!);
    await eventually(() => expect(outbox.find('email', `To: ${value}`, `transaction ${transactionId}`)).toHaveLength(1));
  });

  it('PostgreSQL: both payments end as the merchant answered', async () => {
    const pidFile = join(process.env['PAYCODE_E2E_HOME']!, 'postgres/postmaster.pid');
    const pid = () => Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
    const killed = pid();
    const kill = killOnce(killed);
    // The services have stored both payments before the database is killed.
    const bothPaid = Promise.withResolvers<void>();
    shop.receiver.answer = async ({ status, amount }) => {
      if (status !== 'SUCCESS') return 200;
      await bothPaid.promise;
      kill();
      await eventually(() => expect(pid()).not.toBe(killed));
      return amount === 13 ? 503 : 200;
    };
    const [kept, returned] = await Promise.all([payNewCode(shop.merchant, '12.00'), payNewCode(shop.merchant, '13.00')]);
    bothPaid.resolve();
    await eventually(async () => expect(await shop.merchant.reversal(kept)).toMatchObject({ state: 'SETTLED' }));
    await eventually(async () => expect(await shop.merchant.transaction(returned)).toMatchObject({ status: 'REVERSED' }));
    for (const service of services) await eventually(() => isReady(service));
  });

  /** The receiver is asked more than once, and the second time the process may be gone. */
  function killOnce(pid: number): () => void {
    let isKilled = false;
    return () => {
      if (!isKilled) process.kill(pid, 'SIGKILL');
      isKilled = true;
    };
  }

  async function isReady(service: string): Promise<void> {
    const ready = await sharedPlatform().operator(service, { method: 'GET', path: '/health/ready' });
    expect(ready.status).toBe(200);
  }
});
