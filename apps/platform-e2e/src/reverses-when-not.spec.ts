import { eventually } from '@paycode/service-runtime/testing';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

/** Anything but 200: the payment is reversed, and the merchant is told. */
describe('a payment whose notification is not acknowledged', () => {
  const platform = sharedPlatform();
  let shop: MerchantWithReceiver;
  beforeAll(async () => (shop = await makeMerchantWithReceiver(platform)));
  afterAll(() => shop.receiver.stop());

  it.each([503, 201, 302])('status %i reverses it (R-1-7, R-3.1-3)', async status => {
    shop.receiver.answer = ({ status: kind }) => (kind === 'SUCCESS' ? status : 200);
    const transactionId = await payNewCode(shop.merchant);
    await eventually(async () =>
      expect(await shop.merchant.reversal(transactionId)).toMatchObject({ state: 'REVERSED', reason: 'NON_200' }),
    );
    await eventually(async () => expect(await shop.merchant.transaction(transactionId)).toMatchObject({ status: 'REVERSED' }));
  });

  it('a receiver that cannot be reached reverses it (R-3.1-4)', async () => {
    const lost = await makeMerchantWithReceiver(platform);
    await lost.receiver.stop();
    const transactionId = await payNewCode(lost.merchant);
    await eventually(async () =>
      expect(await lost.merchant.reversal(transactionId)).toMatchObject({ state: 'REVERSED', reason: 'CONNECTION' }),
    );
  });

  it('the reversal is a transaction of its own; its notification is sent once and needs no acknowledgement (R-3.1-6, A-04)', async () => {
    shop.receiver.answer = () => 500;
    const transactionId = await payNewCode(shop.merchant);
    const { notification } = await shop.receiver.webhook(each => each.referenceTransactionId === transactionId);
    expect(notification).toMatchObject({ status: 'REVERSED', merchantId: shop.merchant.merchantId });
    expect(notification.transactionId).not.toBe(transactionId);
    expect(await shop.merchant.reversal(notification.transactionId)).toBeUndefined();
  });
});
