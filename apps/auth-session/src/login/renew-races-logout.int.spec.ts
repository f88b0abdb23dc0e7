import type { AxiosResponse } from 'axios';
import { eventually } from '@paycode/service-runtime/testing';
import { type BearerAccount, type ClientSession, LoginClient, tokenOf } from '../testing/login-client';
import { outcomeOf, TestAuthSession } from '../testing/test-service';

let service: TestAuthSession;
let client: LoginClient;
let account: BearerAccount;
beforeAll(async () => {
  service = await TestAuthSession.start();
  client = new LoginClient(service);
  account = await client.bearerAccount({ type: 'PSP', id: 1 }, false);
});
afterAll(() => service.stop());

type Call = () => Promise<AxiosResponse>;

const says = ({ status, data }: AxiosResponse) => `${status} ${(data as { message?: string }).message ?? 'ok'}`;
const renewing = (session: ClientSession) => () =>
  service.client('POST', '/authentication/renew', { data: { jwt: tokenOf(session) } });
const loggingOut = (session: ClientSession) => () =>
  service.client('POST', '/authentication/logout', { data: { jwt: tokenOf(session) } });
const use = async (session: ClientSession) => outcomeOf(await service.authorize({ authorization: [session.headerValue] }));

/** Calls that wait for a row of this database. */
async function waiting(): Promise<number> {
  const [row] = await service.database.dataSource.query<[{ count: number }]>(
    `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row.count;
}

/** Both calls have read the session as it was; its row is held until both want to change it, and they get it in this order. */
async function inThisOrder(session: ClientSession, first: Call, second: Call): Promise<[AxiosResponse, AxiosResponse]> {
  const holder = service.database.dataSource.createQueryRunner();
  await holder.startTransaction();
  try {
    await holder.query('select 1 from session where id = $1 for update', [session.sessionId]);
    const earlier = first();
    await eventually(async () => expect(await waiting()).toBe(1));
    const later = second();
    await eventually(async () => expect(await waiting()).toBe(2));
    await holder.commitTransaction();
    return await Promise.all([earlier, later]);
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

describe('renew races logout', () => {
  it('a renewal that read the session before the logout gets no token (R-4.1-12, A-28)', async () => {
    const session = await client.passwordLogin(account);
    const [ended, renewed] = await inThisOrder(session, loggingOut(session), renewing(session));
    expect([says(ended), says(renewed)]).toEqual(['200 ok', '401 Invalid or expired JWT token']);
    expect(await use(session)).toBe('401 Invalid or expired JWT token');
  });
});
