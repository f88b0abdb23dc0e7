import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { accepted, type Merchant, MerchantReceiver } from '@paycode/platform-client';
import { OutboxFolder } from './testing/outbox-folder';
import { makeMerchant, payNewCode, sharedPlatform } from './testing/platform';

/** A merchant is told over any combination of HTTP, EMAIL and SMS; only HTTP decides over the payment. */
describe('the channels a merchant is notified over', () => {
  const platform = sharedPlatform();
  const outbox = new OutboxFolder(process.env['PAYCODE_E2E_HOME']!);
  let merchant: Merchant;
  let receiver: MerchantReceiver;

  beforeAll(async () => (receiver = await MerchantReceiver.start()));
  beforeEach(async () => {
    merchant = await makeMerchant(platform);
    receiver.answer = () => 200;
  });
  afterAll(() => receiver.stop());

  const email = () => `owner-${merchant.merchantId}@shop.example`;
  const msisdn = () => `27${merchant.merchantId % 1_000_000_000}1`;
  const psp = async (endpoint: string, body: object) => {
    const path = `/portal/restful/merchant/notification/${endpoint}`;
    const call = { method: 'POST', path, body: { merchantId: merchant.merchantId, ...body }, as: platform.account('psp-1') };
    return accepted(endpoint, await platform.gateway(call));
  };
  const addHttp = async () => (receiver.encryptKey = await merchant.addHttp(receiver.url));
  const addEmail = () => psp('extra', { type: 'EMAIL', value: email() });
  const addSms = () => psp('extra', { type: 'SMS', value: msisdn() });
  const mails = (transactionId: number) => outbox.find('email', `To: ${email()}`, `transaction ${transactionId}`);
  const messages = (transactionId: number) => outbox.find('sms', `To: ${msisdn()}`, `Tx ${transactionId}`);

  it.each([
    [true, true, true],
    [true, true, false],
    [true, false, true],
    [true, false, false],
    [false, true, true],
    [false, true, false],
    [false, false, true],
  ])('HTTP %s, EMAIL %s, SMS %s (R-6.2-4)', async (http, withEmail, withSms) => {
    if (http) await addHttp();
    if (withEmail) await addEmail();
    if (withSms) await addSms();
    const transactionId = await payNewCode(merchant);
    if (http) await receiver.webhook(each => each.transactionId === transactionId);
    await eventually(() =>
      expect([mails(transactionId).length, messages(transactionId).length]).toEqual([Number(withEmail), Number(withSms)]),
    );
    expect(await merchant.transaction(transactionId)).toMatchObject({ txState: 'SUCCESS' });
  });

  it('the webhook fails and the payment is reversed; e-mails report both (R-1-8, R-6.2-3)', async () => {
    await addHttp();
    await addEmail();
    receiver.answer = ({ status }) => (status === 'SUCCESS' ? 500 : 200);
    const transactionId = await payNewCode(merchant);
    await eventually(() => expect(mails(transactionId)[0]).toContain('Payment received'));
    await eventually(() =>
      expect(outbox.find('email', `To: ${email()}`, 'Payment reversed', `Original transaction: ${transactionId}`)).toHaveLength(
        1,
      ),
    );
  });

  it('a summary shows no card data beyond the last four digits, and nothing of the customer (R-6.2-3)', async () => {
    await addEmail();
    await addSms();
    const transactionId = await payNewCode(merchant);
    const [mail] = await eventually(() =>
      mails(transactionId).length > 0 ? mails(transactionId) : Promise.reject(new Error('no mail')),
    );
    const [sms] = await eventually(() =>
      messages(transactionId).length > 0 ? messages(transactionId) : Promise.reject(new Error('no SMS')),
    );
    for (const text of [mail!, sms!]) expect(text.replaceAll(msisdn(), '')).not.toMatch(/27820000001|\b\d{6}-\d{4}\b/);
    expect(mail).toContain('25.5');
  });

  it('a change of URL or key is mailed to the merchant (T-15)', async () => {
    await addEmail();
    await addHttp();
    await eventually(() => expect(outbox.find('email', `To: ${email()}`, 'URL was set or changed', 'psp-1')).toHaveLength(1));
    await psp('renewKey', {});
    await eventually(() => expect(outbox.find('email', `To: ${email()}`, 'key was renewed', 'psp-1')).toHaveLength(1));
  });

  describe('as in R-2.5-19, T-17, P-I14', () => {
    it('no log of the platform holds a recipient, a key or data of a payment', () => {
      const folder = join(process.env['PAYCODE_E2E_HOME']!, 'logs');
      const logs = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'));
      expect(logs.some(log => log.includes('recipient-message'))).toBe(true);
      for (const secret of [email(), '@shop.example', msisdn(), receiver.encryptKey, '27820000001']) {
        expect(logs.filter(log => log.includes(secret))).toEqual([]);
      }
    });
  });
});
