import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { accepted, decryptWebhook, type PlatformConnection } from '@paycode/platform-client';
import {
  makeMerchant,
  makeMerchantWithReceiver,
  type MerchantWithReceiver,
  payNewCode,
  sharedPlatform,
} from './testing/platform';

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
  const later = undoneAfterEach();

  describe('as in R-4.3-9, R-4.3-10, R-4.3-11', () => {
    it('payments after the answer carry the new key, URL and version stay', async () => {
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
        const { body } = await shop.receiver.webhook(each => each.transactionId === transactionId);
        bodies.set(transactionId, body);
        expect([opens(body, renewed.encryptKey), opens(body, replaced)]).toEqual([true, false]);
      }
      expect(bodies.size).toBe(3);
    });
  });

  it('each notification that arrives while keys change opens with one of the keys in force, and with no other (A-52, R-6.2-7)', async () => {
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        if (!body.startsWith('{')) bodies.push(body);
        response.end();
      });
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    later(() => new Promise(resolve => receiver.close(resolve)));
    later(() => receiver.closeAllConnections());
    const merchant = await makeMerchant(platform);
    const keys = [await merchant.addHttp(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`)];
    let isRenewing = true;
    const paying = (async () => {
      let paid = 0;
      for (; isRenewing; paid += 1) await payNewCode(merchant);
      return paid;
    })();
    for (let i = 0; i < 3; i += 1) keys.push((await renewKey(platform, merchant.merchantId)).encryptKey);
    isRenewing = false;
    const paid = await paying;
    await eventually(() => expect(bodies.length).toBeGreaterThanOrEqual(paid));
    expect(bodies.filter(body => keys.filter(key => opens(body, key)).length !== 1)).toEqual([]);
  });
});
