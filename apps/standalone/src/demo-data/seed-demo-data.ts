import type { AccountType } from '@paycode/dto';
import { type DemoAccount, demoAccounts, demoMerchants } from './demo-data';
import type { OperatorClient } from './operator.client';

export interface AccountWithPassword {
  username: string;
  password: string;
  type: AccountType;
}

/** The platform refused to make its demo data, so it is not usable. */
export class DemoDataError extends Error {}

export interface SeedOptions {
  operator: OperatorClient;
  /** Base URLs of internal listeners. */
  authSessionUrl: string;
  notificationConfigUrl: string;
  /** Accounts of an earlier start, with the passwords given then. */
  known: AccountWithPassword[];
}

/** Makes missing accounts and merchants. An account whose password is lost gets a new one; all others do not change. */
export async function seedDemoData(options: SeedOptions): Promise<AccountWithPassword[]> {
  const merchants = demoMerchants.map(async ({ merchantId, ...record }) => {
    const url = `${options.notificationConfigUrl}/internal/merchants/${merchantId}`;
    const found = await options.operator.send({ method: 'GET', url });
    if (found.status === 200) return;
    const made = await options.operator.send({ method: 'PUT', url, body: record });
    if (made.status >= 300) throw new DemoDataError(`merchant ${merchantId} could not be made: status ${made.status}`);
  });
  const [accounts] = await Promise.all([Promise.all(demoAccounts.map(account => ensureAccount(account, options))), ...merchants]);
  return accounts;
}

async function ensureAccount(account: DemoAccount, options: SeedOptions): Promise<AccountWithPassword> {
  const { username, type } = account;
  const url = `${options.authSessionUrl}/internal/accounts`;
  const found = await options.operator.send({ method: 'GET', url: `${url}/${username}` });
  const known = options.known.find(each => each.username === username);
  if (found.status === 200 && known) return known;
  const call =
    found.status === 200
      ? { url: `${url}/${username}/password` }
      : { url, body: account.id === undefined ? account : { type, id: account.id, acquirer: account.acquirer } };
  const { status, body } = await options.operator.send({ method: 'POST', ...call });
  const password = (body as { apiPassword?: unknown } | undefined)?.apiPassword;
  if (typeof password !== 'string') throw new DemoDataError(`account ${username} could not be made: status ${status}`);
  return { username, password, type };
}
