import { accepted, decryptWebhook, type PlatformConnection } from '@paycode/tools/demo';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';

interface Renewed {
  encryptKey: string;
  url: string;
  version: string;
}

async function renewKey(platform: PlatformConnection, merchantId: number): Promise<Renewed> {
  const path = '/portal/restful/merchant/notification/renewKey';
  const call = { method: 'POST', path, body: { merchantId }, as: platform.account('psp-1') };
  return accepted('renewKey', await platform.gateway(call)) as Renewed;
}

function opens(body: string, key: string): boolean {
  try {
    decryptWebhook(body, key);
    return true;
  } catch {
    return false;
  }
}

/** The new key is active when renewKey answers: whatever is paid afterwards is encrypted with it. */
describe('a key that is renewed while payments go on', () => {
  const platform = sharedPlatform();
  let shop: MerchantWithReceiver;

  beforeAll(async () => (shop = await makeMerchantWithReceiver(platform)));
  afterAll(() => shop.receiver.stop());

  it('R-4.3-9, R-4.3-10, R-4.3-11: payments after the answer carry the new key, URL and version stay', async () => {
    const bodies = new Map<number, string>();
    for (let round = 0; round < 3; round += 1) {
      const replaced = shop.receiver.encryptKey;
      const under = [payNewCode(shop.merchant), payNewCode(shop.merchant)];
      const renewed = await renewKey(platform, shop.merchant.merchantId);
      expect(renewed).toMatchObject({ url: shop.receiver.url, version: 'V3' });
      expect(renewed.encryptKey).not.toBe(replaced);
      await Promise.all(under);
      shop.receiver.encryptKey = renewed.encryptKey;
      const transactionId = await payNewCode(shop.merchant);
      const { body } = await shop.receiver.webhook(each => each.transactionId === transactionId, 20_000);
      bodies.set(transactionId, body);
      expect([opens(body, renewed.encryptKey), opens(body, replaced)]).toEqual([true, false]);
    }
    expect(bodies.size).toBe(3);
  });
});
