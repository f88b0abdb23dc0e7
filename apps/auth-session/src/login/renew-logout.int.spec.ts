import { undoneAfterEach } from '@paycode/service-runtime/testing';
import type { AxiosResponse } from 'axios';
import jsonwebtoken from 'jsonwebtoken';
import { type BearerAccount, type ClientSession, LoginClient, tokenOf } from '../testing/login-client';
import { basic, outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec({}, 1, { sessionLifetimeMaxMs: Infinity });
const client = new LoginClient(service);
let account: BearerAccount;
beforeAll(async () => (account = await client.bearerAccount({ type: 'PSP', id: 1 }, false)));
afterEach(() => service.clock.reset());
const later = undoneAfterEach();

const says = ({ status, data }: AxiosResponse) => `${status} ${(data as { message?: string }).message ?? 'ok'}`;
const renew = (jwt: unknown) => service.client('POST', '/authentication/renew', { data: { jwt } });
const logout = (jwt?: string, headers: Record<string, string> = {}) =>
  service.client('POST', '/authentication/logout', { data: jwt === undefined ? undefined : { jwt }, headers });
const use = async (session: ClientSession) => outcomeOf(await service.authorize({ authorization: [session.headerValue] }));
const forged = () => jsonwebtoken.sign({ sub: 'psp-1', sid: 'x', jti: 'y' }, 'k'.repeat(32), { expiresIn: 60 });
const ended = '401 Invalid or expired JWT token';

describe('POST /authentication/renew', () => {
  describe('as in R-4.1-9, R-4.1-10, A-29', () => {
    it('gives a new token of the same session, and the old one stops working', async () => {
      const first = await client.passwordLogin(account);
      service.clock.advance(60_000);
      const answer = await renew(tokenOf(first));
      const second = answer.data as ClientSession;
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(second.sessionId).toBe(first.sessionId);
      expect(Date.parse(second.expires) - Date.parse(first.expires)).toBeGreaterThanOrEqual(60_000);
      expect([await use(first), await use(second)]).toEqual([ended, 'allowed']);
      expect(says(await renew(tokenOf(first)))).toBe(ended);
    });
  });

  describe('as in R-5.2-8, R-7-2, A-61', () => {
    it('an expired token cannot be renewed, from the very millisecond of `expires`', async () => {
      service.clock.set(Date.UTC(2031, 0, 1));
      const session = await client.passwordLogin(account);
      service.clock.set(Date.parse(session.expires) - 1);
      expect(await use(session)).toBe('allowed');
      service.clock.set(Date.parse(session.expires));
      expect([await use(session), says(await renew(tokenOf(session)))]).toEqual([ended, ended]);
    });
  });

  it.each([
    ['A-26 R-7-3', 'not-a-jwt', '401 Invalid JWT token'],
    ['A-26 R-7-3', 'Bearer a.b.c', '401 Invalid JWT token'],
    ['A-24 R-7-2', 'a.b.c', ended],
  ])('%s: renewing %j is %s', async (_, jwt, outcome) => {
    expect(says(await renew(jwt))).toBe(outcome);
  });

  it('a missing jwt is a 400 (A-26, R-7-6)', async () => {
    for (const jwt of [undefined, null, 7, '']) expect((await renew(jwt)).status).toBe(400);
  });

  it('only access tokens can be renewed (T-08)', async () => {
    const answer = await service.authorize({ authorization: [(await client.passwordLogin(account)).headerValue] });
    if (!answer.allowed) throw new Error('denied');
    expect(says(await renew(answer.identity))).toBe(ended);
    expect(says(await renew(forged()))).toBe(ended);
  });

  it('without a cap a session can be renewed for ever; with a cap until then (A-30)', async () => {
    const capped = await TestAuthSession.start({}, 1, { sessionLifetimeMaxMs: 1_200_000 });
    later(() => capped.stop());
    const cappedClient = new LoginClient(capped);
    const owner = await cappedClient.bearerAccount({ type: 'PSP', id: 1 }, false);
    capped.clock.set(Date.UTC(2031, 0, 1));
    const first = await cappedClient.passwordLogin(owner);
    capped.clock.advance(600_000);
    const { data } = await capped.client('POST', '/authentication/renew', { data: { jwt: tokenOf(first) } });
    expect((data as ClientSession).expires).toBe('2031-01-01T00:20:00.000Z');
  });
});

describe('POST /authentication/logout', () => {
  describe('as in R-4.1-11, R-4.1-12, A-27', () => {
    it('takes the token from body or header, after which it fails everywhere', async () => {
      for (const by of ['body', 'header']) {
        const session = await client.passwordLogin(account);
        const answer = await (by === 'body'
          ? logout(tokenOf(session))
          : logout(undefined, { authorization: session.headerValue }));
        expect([answer.status, answer.data]).toEqual([200, {}]);
        expect([await use(session), says(await renew(tokenOf(session)))]).toEqual([ended, ended]);
      }
    });
  });

  it('ends the sessions of both tokens when both places are used (A-32)', async () => {
    const [inBody, inHeader] = [await client.passwordLogin(account), await client.passwordLogin(account)];
    expect((await logout(tokenOf(inBody), { authorization: inHeader.headerValue })).status).toBe(200);
    expect([await use(inBody), await use(inHeader)]).toEqual([ended, ended]);
  });

  it('is idempotent: 200 for a genuine token that is expired, revoked or replaced (A-32)', async () => {
    const session = await client.passwordLogin(account);
    expect((await logout(tokenOf(session))).status).toBe(200);
    expect((await logout(tokenOf(session))).status).toBe(200);
    const expired = await client.passwordLogin(account);
    service.clock.advance(3_600_000);
    expect((await logout(tokenOf(expired))).status).toBe(200);
    service.clock.reset();
    const replaced = await client.passwordLogin(account);
    const current = (await renew(tokenOf(replaced))).data as ClientSession;
    expect((await logout(tokenOf(replaced))).status).toBe(200);
    // Logout by the owner ends the session for the holder of the replacing token too (ADR 0029).
    expect(await use(current)).toBe(ended);
  });

  it('401 `Invalid JWT token` for a missing or forged token (A-32)', async () => {
    const noToken = '401 Invalid JWT token';
    expect(says(await logout())).toBe(noToken);
    expect(says(await logout(forged()))).toBe(noToken);
    expect(says(await logout('rubbish'))).toBe(noToken);
    expect(says(await logout(undefined, { authorization: basic(account.username, account.password) }))).toBe(noToken);
    expect(says(await logout(undefined, { authorization: 'Bearer' }))).toBe(noToken);
  });

  it('a genuine token is also revoked beside a forged one (A-32)', async () => {
    const session = await client.passwordLogin(account);
    expect((await logout(forged(), { authorization: session.headerValue })).status).toBe(200);
    expect(await use(session)).toBe(ended);
  });

  it('writes renewals and ends to the security log', async () => {
    const events = await service.database.dataSource.query<{ kind: string }[]>(
      `select distinct kind from security_event where kind like 'SESSION%' and subject = 'psp-1' order by kind`,
    );
    expect(events.map(event => event.kind)).toEqual(['SESSION_ENDED', 'SESSION_RENEWED']);
  });
});
