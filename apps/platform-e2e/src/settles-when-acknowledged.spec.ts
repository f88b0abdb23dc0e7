import { eventually } from '@paycode/service-runtime/testing';
import { decryptWebhook } from '@paycode/platform-client';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

/** The merchant answers 200: the payment is settled and the reversal is cancelled. */
describe('a payment whose notification is acknowledged', () => {
  const platform = sharedPlatform();
  let shop: MerchantWithReceiver;
  let transactionId: number;

  beforeAll(async () => {
    shop = await makeMerchantWithReceiver(platform);
    transactionId = await payNewCode(shop.merchant, '110.10');
  });
  afterAll(() => shop.receiver.stop());

  it('the URL was probed before it was taken (R-2.6-1, R-4.3-8)', () => {
    expect(shop.receiver.probes).toBe(1);
  });

  it('one POST, encrypted under the key of the merchant, readable with nothing but node:crypto (R-1-4, R-6.1-1)', async () => {
    const { notification, body, plaintext } = await shop.receiver.webhook(each => each.transactionId === transactionId);
    expect(notification).toMatchObject({ transactionId, status: 'SUCCESS', referenceTransactionId: 0 });
    //
    expect(plaintext).toContain('"amount":110.10,');
    expect(Buffer.from(body, 'base64').toString('latin1')).not.toContain('SUCCESS');
    const changed = Buffer.from(body, 'base64');
    changed[20]! ^= 1;
    // R-6.2-7
    expect(() => decryptWebhook(changed.toString('base64'), shop.receiver.encryptKey)).toThrow();
  });

  it('is settled and its reversal job cancelled (R-3.1-2)', async () => {
    await eventually(async () => expect(await shop.merchant.reversal(transactionId)).toMatchObject({ state: 'SETTLED' }));
    expect((await shop.merchant.delivery(transactionId))!.verdict!.kind).toBe('ACKED_HTTP');
    expect(await shop.merchant.transaction(transactionId)).toMatchObject({ txState: 'SUCCESS' });
  });

  it('the reversal was armed before the POST was sent (R-1-6, R-6.2-1)', async () => {
    const delivery = (await shop.merchant.delivery(transactionId))!;
    expect(delivery.armedAt).not.toBeNull();
    expect(delivery.armedAt! <= delivery.attempts[0]!.startedAt).toBe(true);
    expect(delivery.attempts).toHaveLength(1);
  });
});
