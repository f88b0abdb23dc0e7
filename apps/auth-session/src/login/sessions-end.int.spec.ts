import type { AxiosResponse } from 'axios';
import { register } from 'prom-client';
import { type BearerAccount, type ClientSession, LoginClient, tokenOf } from '../testing/login-client';
import { outcomeOf, TestAuthSession } from '../testing/test-service';

let service: TestAuthSession;
let client: LoginClient;
let account: BearerAccount;
beforeAll(async () => {
  service = await TestAuthSession.start({}, 2);
  client = new LoginClient(service);
  account = await client.bearerAccount({ type: 'PSP', id: 1 }, false);
});
afterAll(() => service.stop());

const ended = '401 Invalid or expired JWT token';
const says = ({ status, data }: AxiosResponse) => `${status} ${(data as { message?: string }).message ?? 'ok'}`;
const renew = (session: ClientSession, replica = 0) =>
  service.client('POST', '/authentication/renew', { data: { jwt: tokenOf(session) }, replica });
const renewed = async (session: ClientSession) => (await renew(session)).data as ClientSession;
const logout = (session: ClientSession, replica = 0) =>
  service.client('POST', '/authentication/logout', { data: { jwt: tokenOf(session) }, replica });
const use = async (session: ClientSession, replica = 0) =>
  outcomeOf(await service.authorize({ authorization: [session.headerValue] }, replica));
const eventsOf = async (kind: string): Promise<number> => {
  const [row] = await service.database.dataSource.query<[{ count: number }]>(
    `select count(*)::int from security_event where kind = $1`,
    [kind],
  );
  return row.count;
};
const afterGrace = () => service.clock.advance(11_000);

describe('the end of sessions (ADR 0029)', () => {
  it('logout with the token a thief has renewed ends the session of the thief (A-32)', async () => {
    const stolen = await client.passwordLogin(account);
    const ofThief = await renewed(stolen);
    expect(says(await logout(stolen))).toBe('200 ok');
    for (const replica of [0, 1]) expect(await use(ofThief, replica)).toBe(ended);
    expect(says(await renew(ofThief))).toBe(ended);
  });

  it('logout with an expired token of a renewed session ends the session (A-32)', async () => {
    const first = await client.passwordLogin(account);
    service.clock.advance(800_000);
    const second = await renewed(first);
    service.clock.advance(200_000);
    expect(await use(second)).toBe('allowed');
    expect(says(await logout(first))).toBe('200 ok');
    expect(await use(second)).toBe(ended);
  });

  it('a replaced token in renew ends the session, is logged once and alerts an operator (A-28)', async () => {
    const stolen = await client.passwordLogin(account);
    const ofThief = await renewed(stolen);
    const before = await eventsOf('TOKEN_REUSED');
    afterGrace();
    expect([says(await renew(stolen)), says(await renew(stolen, 1))]).toEqual([ended, ended]);
    expect([await use(ofThief), says(await renew(ofThief))]).toEqual([ended, ended]);
    expect(await eventsOf('TOKEN_REUSED')).toBe(before + 1);
    expect(await register.getSingleMetricAsString('paycode_auth_session_tokens_reused_total')).toMatch(/_total [1-9]/);
  });

  it('a call repeated within the grace is refused and ends nothing (A-28)', async () => {
    const first = await client.passwordLogin(account);
    const second = await renewed(first);
    service.clock.advance(5_000);
    expect([says(await renew(first)), await use(second)]).toEqual([ended, 'allowed']);
  });

  it('the grace applies only to the token replaced last, so that frequent renewals hide no theft (A-28)', async () => {
    const stolen = await client.passwordLogin(account);
    const ofThief = await renewed(await renewed(stolen));
    expect([says(await renew(stolen)), await use(ofThief)]).toEqual([ended, ended]);
  });

  it('an expired token that was replaced counts as stolen too (A-26)', async () => {
    const stolen = await client.passwordLogin(account);
    service.clock.advance(800_000);
    const ofThief = await renewed(stolen);
    service.clock.advance(200_000);
    expect([await use(ofThief), says(await renew(stolen)), await use(ofThief)]).toEqual(['allowed', ended, ended]);
  });

  it('using a replaced token on a request is refused and ends nothing (A-28)', async () => {
    const first = await client.passwordLogin(account);
    const second = await renewed(first);
    afterGrace();
    expect([await use(first), await use(second)]).toEqual([ended, 'allowed']);
  });

  it('by default a session lasts 24 hours from login, however often it is renewed (A-30)', async () => {
    service.clock.set(Date.UTC(2032, 0, 1));
    let session = await client.passwordLogin(account);
    for (let minutes = 14; minutes < 24 * 60; minutes += 14) {
      service.clock.advance(14 * 60_000);
      session = await renewed(session);
    }
    expect(session.expires).toBe('2032-01-02T00:00:00.000Z');
    service.clock.set(Date.parse(session.expires));
    expect([await use(session), says(await renew(session))]).toEqual([ended, ended]);
    service.clock.reset();
  });

  it('a new password and `sessions end-all` end every session of the account at once, at every replica (A-31)', async () => {
    const other = await client.bearerAccount({ type: 'PSP', id: 2 }, false);
    const others = await client.passwordLogin(other);
    for (const path of ['sessions/end-all', 'password']) {
      const own = [await client.passwordLogin(account), await client.passwordLogin(account)];
      const answer = await service.operator('POST', `/internal/accounts/${account.username}/${path}`);
      expect(answer.status).toBe(200);
      for (const session of own)
        expect([await use(session, 0), await use(session, 1), says(await renew(session))]).toEqual([ended, ended, ended]);
      const { apiPassword } = answer.data as { apiPassword?: string };
      if (apiPassword !== undefined) account.password = apiPassword;
    }
    expect(await use(others)).toBe('allowed');
    expect(await eventsOf('SESSIONS_ENDED')).toBe(1);
    expect((await service.operator('POST', '/internal/accounts/psp-404/sessions/end-all')).status).toBe(404);
  });

  it('ASVS 7.5.2: an operator sees the sessions that are not over, and no token', async () => {
    await service.operator('POST', `/internal/accounts/${account.username}/sessions/end-all`);
    const [first, second] = [await client.passwordLogin(account), await client.passwordLogin(account)];
    await logout(first);
    const { status, data } = await service.operator('GET', `/internal/accounts/${account.username}/sessions`);
    expect([status, data]).toEqual([
      200,
      {
        username: account.username,
        sessions: [
          { sessionId: second.sessionId, loginKind: 'PASSWORD', startedAt: expect.any(String), expiresAt: second.expires },
        ],
      },
    ]);
    expect((await service.operator('GET', '/internal/accounts/psp-404/sessions')).status).toBe(404);
  });
});
