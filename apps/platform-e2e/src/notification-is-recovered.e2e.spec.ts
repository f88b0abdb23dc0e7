import { eventually } from '@paycode/service-runtime/testing';
import { basic, ExactGatewayClient } from './testing/exact-gateway-client';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

/** Recovery of a notification with the API password alone: no login, no session. */
describe('the notification of a payment, read by getNotification', () => {
  const platform = sharedPlatform();
  const gateway = new ExactGatewayClient(platform);
  let shop: MerchantWithReceiver;
  let path: string;
  let transactionId: number;

  beforeAll(async () => {
    shop = await makeMerchantWithReceiver(platform);
    transactionId = await payNewCode(shop.merchant, '31.40');
    await shop.receiver.webhook(each => each.transactionId === transactionId);
    path = `/pluto/purchase/notification/${transactionId}`;
  });
  afterAll(() => shop.receiver.stop());

  it('is given unencrypted to Basic credentials (R-4.4-2, R-4.4-1)', async () => {
    const psp = platform.account('psp-1');
    const answer = await gateway.send({ path, headers: basic(psp) });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"amount":31.40,');
    expect(JSON.parse(answer.text)).toMatchObject({ merchantId: shop.merchant.merchantId, status: 'SUCCESS' });
  });

  it('has an id that is found without the webhook (A-92)', async () => {
    const search = `merchantId=${shop.merchant.merchantId}&since=2020-01-01T00:00:00Z&limit=500`;
    await eventually(async () => {
      const { status, text } = await gateway.send({
        path: `/pluto/purchase/notifications?${search}`,
        headers: basic(platform.account('psp-1')),
      });
      expect(status).toBe(200);
      const { notifications } = JSON.parse(text) as { notifications: { transactionId: number; delivery: string }[] };
      expect(notifications.find(each => each.transactionId === transactionId)).toMatchObject({
        delivery: 'DELIVERED',
        status: 'SUCCESS',
      });
    });
  });

  it('is refused with a wrong password and without one (R-4.4-2)', async () => {
    const { username } = platform.account('psp-1');
    const wrong = await gateway.send({ path, headers: basic({ username, password: 'wrong' }) });
    expect([wrong.status, (await gateway.send({ path })).status]).toEqual([401, 401]);
  });
});
