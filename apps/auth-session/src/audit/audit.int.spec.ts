import { register } from 'prom-client';
import { eventually } from '@paycode/service-runtime/testing';
import { type BearerAccount, LoginClient } from '../testing/login-client';
import { basic, type CreatedAccount, TestAuthSession } from '../testing/test-service';
import { internalOriginOf } from './request-origin';

const service = TestAuthSession.ofSpec();
let psp: CreatedAccount;
let merchant: CreatedAccount;
beforeAll(async () => {
  psp = await service.create({ type: 'PSP', id: 1 });
  merchant = await service.create({ type: 'MERCHANT', id: 7 });
});

interface Row {
  kind: string;
  subject: string | null;
  address: string | null;
  detail: string | null;
}
const rowsOf = (address: string) =>
  service.database.dataSource.query<Row[]>(
    'select kind, subject, address, detail from security_event where address = $1 order by kind, detail nulls first',
    [address],
  );
const list = '/portal/restful/merchant/notification/list';
const notification = '/pluto/purchase/notification/1';
const ask = (account: CreatedAccount, address: string, path = '/pluto/remote/v4/lookup') =>
  service.authorize({ authorization: [basic(account.username, account.apiPassword)], address, path });
/** The service writes rows in the order of their events: when the last row, of `address`, exists, all rows before it exist too. */
async function writtenSoFar(address: string): Promise<void> {
  await ask(psp, address);
  await eventually(async () => expect(await rowsOf(address)).toHaveLength(1));
}
async function times(count: number, call: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await call();
}

describe('the security log (F11)', () => {
  it('ASVS 16.3.1: Basic use and failures are counted per account and address: one row at first, one with the rest', async () => {
    const address = '198.51.100.1';
    await times(5, () => ask(psp, address));
    await times(3, () => ask({ ...psp, apiPassword: 'wrong' }, address));
    await service.authorize({ authorization: [basic('what was typed', 'may be a password')], address });
    const first = [
      { kind: 'BASIC_FAILED', subject: 'psp-1', address, detail: null },
      { kind: 'BASIC_FAILED', subject: null, address, detail: null },
      { kind: 'BASIC_USED', subject: 'psp-1', address, detail: null },
    ];
    const unordered = async () => expect((await rowsOf(address)).sort(bySubject)).toEqual([...first].sort(bySubject));
    await eventually(unordered);
    service.clock.advance(900_001);
    await eventually(async () => expect(await rowsOf(address)).toContainEqual({ ...first[0], detail: '2 more' }));
    service.clock.advance(86_400_000);
    await eventually(async () => expect(await rowsOf(address)).toContainEqual({ ...first[2], detail: '4 more' }));
    expect(await rowsOf(address)).toHaveLength(5);
  });

  it('ASVS 16.3.2: the log records each 403 and each reading of personal data, with account and address', async () => {
    const address = '198.51.100.2';
    await times(2, () => ask(merchant, address, list));
    await times(2, () => ask(merchant, address, notification));
    await ask(psp, address, list);
    await writtenSoFar('198.51.100.12');
    expect((await rowsOf(address)).filter(({ kind }) => kind !== 'BASIC_USED')).toEqual([
      { kind: 'ACCESS_DENIED', subject: 'merchant-7', address, detail: null },
      { kind: 'PERSONAL_DATA_READ', subject: 'psp-1', address, detail: '/portal/restful/merchant/notification' },
      { kind: 'PERSONAL_DATA_READ', subject: 'merchant-7', address, detail: '/purchase' },
    ]);
  });

  it('the log records a right credential from elsewhere, and an operator is alerted (T-15)', async () => {
    const bound = await service.create({ type: 'PSP', id: 3 });
    await service.operator('PUT', `/internal/accounts/${bound.username}/source-addresses`, { sourceAddresses: ['192.0.2.1'] });
    const address = '198.51.100.3';
    await times(2, () => ask(bound, address));
    await writtenSoFar('198.51.100.13');
    expect((await rowsOf(address)).filter(({ kind }) => kind === 'SOURCE_REFUSED')).toEqual([
      { kind: 'SOURCE_REFUSED', subject: 'psp-3', address, detail: null },
    ]);
    // Each one: what an alert counts by.
    expect(await register.getSingleMetricAsString('paycode_auth_session_sources_refused_total')).toContain('_total 2');
  });

  it('an event that cannot be stored keeps no other from being stored (T-29)', async () => {
    const address = '198.51.100.9';
    await service.authorize({
      authorization: [basic(psp.username, psp.apiPassword)],
      address: `nobody${String.fromCharCode(0)}`,
    });
    await ask(psp, address);
    await eventually(async () => expect(await rowsOf(address)).toHaveLength(1));
  });

  it('the log records a login without the challenge that the account could have used (T-10)', async () => {
    const client = new LoginClient(service);
    const account: BearerAccount = await client.bearerAccount({ type: 'PSP', id: 4 });
    await client.passwordLogin(account);
    await client.fullLogin(account);
    const rows = await service.database.dataSource.query(`select subject from security_event where kind = 'LOGIN_DOWNGRADED'`);
    expect(rows).toEqual([{ subject: 'psp-4' }]);
  });

  it('ASVS 16.2.1: an operator is named as the token names them', () => {
    const request = { id: 'r-1', internalCaller: 'operator' };
    expect(internalOriginOf({ ...request, subject: 'ann@example.com' }).actor).toBe('operator ann@example.com');
    expect(internalOriginOf(request)).toEqual({ actor: 'operator', address: null, requestId: 'r-1' });
  });
});

function bySubject(left: Row, right: Row): number {
  return `${left.kind} ${left.subject}`.localeCompare(`${right.kind} ${right.subject}`);
}
