import { randomUUID } from 'node:crypto';
import { makeMerchantWithReceiver, type Merchant, type MerchantWithReceiver, PlatformConnection } from '@paycode/platform-client';

export { makeMerchant, makeMerchantWithReceiver, type MerchantWithReceiver } from '@paycode/platform-client';

/** The platform that the journeys share (or the running one that PAYCODE_E2E_HOME named). */
export function sharedPlatform(): PlatformConnection {
  const home = process.env['PAYCODE_E2E_HOME'];
  if (!home) throw new Error('PAYCODE_E2E_HOME is not set: run journeys through jest, whose global set-up starts the platform');
  return new PlatformConnection(home);
}

/** A merchant with a receiver for the tests of the describe, whose receiver is stopped after them. */
export function shopOfJourney(platform: PlatformConnection): MerchantWithReceiver {
  const shop = {} as MerchantWithReceiver;
  beforeAll(async () => void Object.assign(shop, await makeMerchantWithReceiver(platform)));
  afterAll(() => shop.receiver?.stop());
  return shop;
}

/** A customer pays a new code of the merchant; gives the transaction. */
export async function payNewCode(merchant: Merchant, amount: string | number = '25.50'): Promise<number> {
  const merchantReference = `journey-${randomUUID()}`.slice(0, 45);
  const { code } = await merchant.createCode({ merchantReference, amount, currencyCode: 'ZAR' });
  return merchant.pay(code);
}
