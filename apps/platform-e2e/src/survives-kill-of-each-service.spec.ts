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
const home = process.env['PAYCODE_E2E_HOME']!;

/** A program that is killed while payments are under way is started again, and each payment still ends as the merchant answered. */
describe('kill -9 of a program during payments', () => {
  let shop: MerchantWithReceiver;
  beforeAll(async () => (shop = await makeMerchantWithReceiver(sharedPlatform())));
  afterAll(() => shop.receiver.stop());

  const databasePid = () => Number(readFileSync(join(home, 'postgres/postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const pidOf = (program: string) => (program === 'PostgreSQL' ? databasePid() : sharedPlatform().standalone.processes[program]!);

  it.each([...services, 'PostgreSQL'])(
    '%s: an acknowledged payment is settled, and a refused one reversed (A-13)',
    async program => {
      const killed = pidOf(program);
      const asked = new Set<number>();
      const isBack = Promise.withResolvers<void>();
      shop.receiver.answer = async ({ status, amount }) => {
        if (status !== 'SUCCESS') return 200;
        asked.add(amount);
        await isBack.promise;
        return amount === 13 ? 503 : 200;
      };
      const [kept, returned] = await Promise.all([payNewCode(shop.merchant, '12.00'), payNewCode(shop.merchant, '13.00')]);
      // The receiver holds both answers back while the program is away.
      await eventually(() => expect(asked.size).toBe(2));
      process.kill(killed, 'SIGKILL');
      await eventually(() => expect(pidOf(program)).not.toBe(killed));
      for (const service of services) await eventually(() => isReady(service));
      isBack.resolve();
      await eventually(async () => expect(await shop.merchant.reversal(kept)).toMatchObject({ state: 'SETTLED' }));
      expect(await shop.merchant.transaction(kept)).toMatchObject({ status: 'SUCCESS' });
      await eventually(async () => expect(await shop.merchant.transaction(returned)).toMatchObject({ status: 'REVERSED' }));
      expect(await shop.merchant.reversal(returned)).toMatchObject({ state: 'REVERSED' });
    },
  );

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
    const outbox = new OutboxFolder(home);
    await eventually(() => expect(outbox.find('email', `To: ${value}`, `transaction ${transactionId}`)).toHaveLength(1));
  });

  async function isReady(service: string): Promise<void> {
    const ready = await sharedPlatform().operator(service, { method: 'GET', path: '/health/ready' });
    expect(ready.status).toBe(200);
  }
});
