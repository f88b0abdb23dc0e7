import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { AccountType, MerchantRecord } from '@paycode/dto';

/** Body of `POST /internal/accounts` that makes the account. */
interface DemoAccount {
  username: string;
  type: AccountType;
  id?: number;
  acquirer?: string;
}

const acquirer = 'Demo Bank';

/** One account of each type, and a second PSP and merchant, to show that they cannot use the data of others. */
const demoAccounts: DemoAccount[] = [
  { username: 'psp-1', type: 'PSP', id: 1 },
  { username: 'psp-2', type: 'PSP', id: 2 },
  { username: 'merchant-1001', type: 'MERCHANT', id: 1001 },
  { username: 'merchant-1002', type: 'MERCHANT', id: 1002 },
  { username: 'merchant-2001', type: 'MERCHANT', id: 2001 },
  { username: 'manager-1', type: 'MANAGER', id: 1 },
  { username: 'stk-demo', type: 'STK' },
  { username: 'acquirer-demo', type: 'ACQUIRER', acquirer },
];

export const demoMerchants: MerchantRecord[] = [
  { merchantId: 1001, merchantName: 'Corner Coffee', pspId: 1, acquirer, status: 'ACTIVE' },
  { merchantId: 1002, merchantName: 'Harbour Books', pspId: 1, acquirer, status: 'ACTIVE' },
  { merchantId: 1003, merchantName: 'Closed Kiosk', pspId: 1, acquirer, status: 'SUSPENDED' },
  { merchantId: 2001, merchantName: 'Mountain Bikes', pspId: 2, acquirer, status: 'ACTIVE' },
];

export interface AccountWithPassword {
  username: string;
  password: string;
  type: AccountType;
}

/** The platform refused to make its demo data, so it is not usable. */
export class DemoDataError extends Error {}

interface SeedOptions {
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

/** A person of the portal, as `POST portal /internal/people` takes it. */
interface DemoPerson {
  email: string;
  name: string;
  tenantType: 'MERCHANT' | 'PSP' | 'ACQUIRER' | 'OPERATOR';
  tenantId: string;
  role: string;
}

export interface PersonWithPassword extends DemoPerson {
  password: string;
}

/** Two tenants of each kind that are not to see each other, one who may only look, and both kinds of operators. */
const demoPeople: DemoPerson[] = [
  { email: 'owner@corner-coffee.example', name: 'Thandi Nkosi', tenantType: 'MERCHANT', tenantId: '1001', role: 'OWNER' },
  { email: 'viewer@corner-coffee.example', name: 'Sam Botha', tenantType: 'MERCHANT', tenantId: '1001', role: 'VIEWER' },
  { email: 'owner@mountain-bikes.example', name: 'Lerato Mokoena', tenantType: 'MERCHANT', tenantId: '2001', role: 'OWNER' },
  { email: 'developer@psp-1.example', name: 'Pieter van Wyk', tenantType: 'PSP', tenantId: '1', role: 'DEVELOPER' },
  { email: 'developer@psp-2.example', name: 'Aisha Patel', tenantType: 'PSP', tenantId: '2', role: 'DEVELOPER' },
  { email: 'owner@demo-bank.example', name: 'Johan Smit', tenantType: 'ACQUIRER', tenantId: 'Demo Bank', role: 'OWNER' },
  { email: 'on-call@paycode.example', name: 'Nomsa Dlamini', tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' },
  { email: 'admin@paycode.example', name: 'Anna Becker', tenantType: 'OPERATOR', tenantId: '', role: 'ADMINISTRATOR' },
];

interface PeopleOptions {
  operator: OperatorClient;
  /** Base URL of the portal's internal listener. */
  portalUrl: string;
  /** People of an earlier start, with the passwords given then. */
  known: readonly PersonWithPassword[];
}

/** Makes missing people of the portal. Those who exist keep the password that they chose, unless the one of an earlier start is lost. */
export async function ensureDemoPeople({ known, ...at }: PeopleOptions): Promise<PersonWithPassword[]> {
  const people: PersonWithPassword[] = [];
  // One after the other: each new password costs the portal 19 MiB while it is hashed.
  for (const demo of demoPeople) {
    const before = known.find(({ email }) => email === demo.email);
    const person = before ?? { ...demo, password: randomBytes(12).toString('base64url') };
    if (!before || !(await personExists(demo, at))) await makePerson(person, at);
    people.push(person);
  }
  return people;
}

type Portal = Omit<PeopleOptions, 'known'>;

async function makePerson(person: PersonWithPassword, { operator, portalUrl }: Portal): Promise<void> {
  const { status } = await operator.send({ method: 'POST', url: `${portalUrl}/internal/people`, body: person });
  if (status !== 201) throw new DemoDataError(`${person.email} could not be made a person of the portal: status ${status}`);
}

async function personExists({ email, tenantType, tenantId }: DemoPerson, { operator, portalUrl }: Portal): Promise<boolean> {
  const tenant = new URLSearchParams({ tenantType, tenantId });
  const { status, body } = await operator.send({ method: 'GET', url: `${portalUrl}/internal/people?${tenant.toString()}` });
  if (status !== 200) throw new DemoDataError(`the people of the portal could not be read: status ${status}`);
  return (body as DemoPerson[]).some(each => each.email === email);
}

const answerTimeoutMs = 15_000;

export interface OperatorAnswer {
  status: number;
  /** Parsed JSON; undefined for an empty or unreadable body. */
  body: unknown;
}

export interface OperatorCall {
  method: 'GET' | 'POST' | 'PUT';
  /** Whole URL on an internal listener. */
  url: string;
  body?: unknown;
}

/** Calls the internal listeners with the operator token. Rejects when there is no answer. */
export class OperatorClient {
  constructor(private readonly token: string) {}

  send({ method, url, body }: OperatorCall): Promise<OperatorAnswer> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const call = request(url, { method, headers, agent: false, timeout: answerTimeoutMs }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: parse(text) }));
      });
      call.once('timeout', () => call.destroy(new Error(`no answer from ${url} within ${answerTimeoutMs} ms`)));
      call.once('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
