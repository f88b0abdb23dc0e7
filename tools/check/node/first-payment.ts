import type { MerchantReceiver } from '../../../libs/platform-client/src/merchant-receiver';
import type { PlatformConnection } from '../../../libs/platform-client/src/platform-connection';
import { openShop } from '../../run/demo/demo-merchant';
import { PaymentsUnderWay } from './payments-under-way';

/** Opens a shop, makes payments for it, and expects that every one is settled. */
export async function paysOnce(platform: PlatformConnection, receiver: MerchantReceiver): Promise<void> {
  const merchant = await openShop(platform);
  receiver.encryptKey = await merchant.addHttp(receiver.url);
  const payments = new PaymentsUnderWay({ merchant, receiver, customers: 1 });
  await payments.more(1);
  const { errors, ends, paid } = await payments.end();
  expect({ errors, ends }).toEqual({ errors: [], ends: { SETTLED: paid } });
}
