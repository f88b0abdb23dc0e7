import { randomInt, randomUUID } from 'node:crypto';
import { Merchant, MerchantReceiver, newAccount, PlatformConnection, saveMerchant } from '@paycode/platform-client';

/** The platform that the journeys share (or the running one that PAYCODE_E2E_HOME named). */
export function sharedPlatform(): PlatformConnection {
  const home = process.env['PAYCODE_E2E_HOME'];
  if (!home) throw new Error('PAYCODE_E2E_HOME is not set: run journeys through jest, whose global set-up starts the platform');
  return new PlatformConnection(home);
}

/** A merchant of a journey's own, ACTIVE, owned by psp-1, with an account to sign in with. */
export async function makeMerchant(platform: PlatformConnection): Promise<Merchant> {
  const merchantId = randomInt(1_000_000, 2 ** 47);
  await saveMerchant(platform, merchantId);
  const credentials = await newAccount(platform, { type: 'MERCHANT', id: merchantId });
  return new Merchant(platform, { merchantId, credentials, psp: platform.account('psp-1') });
}

export interface MerchantWithReceiver {
  merchant: Merchant;
  receiver: MerchantReceiver;
}

/** A merchant whose notifications go to a receiver of this process. Stop the receiver afterwards. */
export async function makeMerchantWithReceiver(platform: PlatformConnection): Promise<MerchantWithReceiver> {
  const merchant = await makeMerchant(platform);
  const receiver = await MerchantReceiver.start();
  try {
    receiver.encryptKey = await merchant.addHttp(receiver.url);
  } catch (error) {
    await receiver.stop();
    throw error;
  }
  return { merchant, receiver };
}

/** One for the tests of the describe, whose receiver is stopped after them. */
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
