import { accepted, Merchant } from '../../../libs/platform-client/src/merchant.ts';
import type { Credentials, PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';

const merchantId = 1900;
const pspId = 1900;

/** The demo's own shop and PSP: what others registered, and the accounts they use, stay as they are. */
export async function openShop(platform: PlatformConnection): Promise<Merchant> {
  await saveMerchant(platform, 'ACTIVE');
  const [credentials, psp] = [
    await accountOf(platform, { type: 'MERCHANT', id: merchantId }),
    await accountOf(platform, { type: 'PSP', id: pspId }),
  ];
  return new Merchant(platform, { merchantId, credentials, psp });
}

/** The web server of the demo ends with it: no payment may be sent there any more. */
export async function closeShop(platform: PlatformConnection): Promise<void> {
  const path = `/internal/merchants/${merchantId}/notifications/HTTP`;
  const answer = await platform.operator('notification-config', { method: 'DELETE', path });
  if (answer.status !== 404) accepted('removing the URL', answer);
  await saveMerchant(platform, 'SUSPENDED');
}

async function saveMerchant(platform: PlatformConnection, status: 'ACTIVE' | 'SUSPENDED'): Promise<void> {
  const body = { merchantName: 'Demo Shop', pspId, acquirer: 'Demo Bank', status };
  const call = { method: 'PUT', path: `/internal/merchants/${merchantId}`, body };
  accepted('the demo merchant', await platform.operator('notification-config', call));
}

/** The account with a new password: an earlier run may have made it. */
async function accountOf(platform: PlatformConnection, account: { type: 'MERCHANT' | 'PSP'; id: number }): Promise<Credentials> {
  const username = `${account.type.toLowerCase()}-${account.id}`;
  const operator = (path: string, body?: object) => platform.operator('auth-session', { method: 'POST', path, body });
  const made = await operator('/internal/accounts', account);
  const answer = made.status === 409 ? await operator(`/internal/accounts/${username}/password`) : made;
  const { apiPassword: password } = accepted(`the account ${username}`, answer) as { apiPassword: string };
  return { username, password };
}
