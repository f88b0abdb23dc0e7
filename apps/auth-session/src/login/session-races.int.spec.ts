import type { AxiosResponse } from 'axios';
import fc from 'fast-check';
import { register } from 'prom-client';
import { eventually } from '@paycode/service-runtime/testing';
import { type BearerAccount, type ClientSession, LoginClient, tokenOf } from '../testing/login-client';
import { outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec({}, 2);
const client = new LoginClient(service);
let account: BearerAccount;
beforeAll(async () => (account = await client.bearerAccount({ type: 'PSP', id: 1 }, false)));

type Verb = 'renew' | 'logout';
interface Call {
  verb: Verb;
  session: ClientSession;
  replica: number;
}

const call = ({ verb, session, replica }: Call): Promise<AxiosResponse> =>
  service.client('POST', `/authentication/${verb}`, { data: { jwt: tokenOf(session) }, replica });
const isAccepted = async (session: ClientSession) =>
  outcomeOf(await service.authorize({ authorization: [session.headerValue] }, 1)) === 'allowed';
const afterGrace = () => service.clock.advance(11_000);

async function countEvents(): Promise<Record<string, number>> {
  const rows = await service.database.dataSource.query<{ kind: string; count: number }[]>(
    `select kind, count(*)::int from security_event where kind in ('SESSION_ENDED', 'TOKEN_REUSED', 'SESSION_RENEWED') group by kind`,
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

async function waiting(): Promise<number> {
  const [row] = await service.database.dataSource.query<[{ count: number }]>(
    `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row.count;
}

/** Until so many calls wait for a row. This one is among them, unless it ended without: then nothing will come any more. */
async function waitsAs(count: number, answer: Promise<AxiosResponse>): Promise<void> {
  let hasEnded = false;
  const ended = () => (hasEnded = true);
  void answer.then(ended, ended);
  await eventually(async () => expect(hasEnded || (await waiting()) === count).toBe(true));
  expect(hasEnded).toBe(false);
}

/** Both calls have read the session as it was; its row is held until both want to change it, and they get it in this order. */
async function inThisOrder(first: Call, second: Call): Promise<AxiosResponse[]> {
  const holder = service.database.dataSource.createQueryRunner();
  await holder.startTransaction();
  try {
    await holder.query('select 1 from session where id = $1 for update', [first.session.sessionId]);
    const earlier = call(first);
    await waitsAs(1, earlier);
    const later = call(second);
    await waitsAs(2, later);
    await holder.commitTransaction();
    return await Promise.all([earlier, later]);
  } finally {
    if (holder.isTransactionActive) await holder.rollbackTransaction();
    await holder.release();
  }
}

interface Tokens {
  replaced: ClientSession;
  current: ClientSession;
}

interface Plan {
  verb: Verb;
  token: keyof Tokens;
}

/** A session that was renewed, longer ago than the grace. */
async function renewedSession(): Promise<Tokens> {
  const replaced = await client.passwordLogin(account);
  const current = (await call({ verb: 'renew', session: replaced, replica: 0 })).data as ClientSession;
  afterGrace();
  return { replaced, current };
}

const renew: Plan = { verb: 'renew', token: 'current' };
const logout: Plan = { verb: 'logout', token: 'current' };
const lateLogout: Plan = { verb: 'logout', token: 'replaced' };
const reuse: Plan = { verb: 'renew', token: 'replaced' };

describe('races of renew, logout and reuse over two replicas', () => {
  describe('as in A-28, A-32, R-4.1-12', () => {
    it.each([
      { order: 'renew, then logout', calls: [renew, logout], statuses: [200, 200], ending: 'SESSION_ENDED' },
      { order: 'logout, then renew', calls: [logout, renew], statuses: [200, 401], ending: 'SESSION_ENDED' },
      {
        order: 'renew, then logout with a replaced token',
        calls: [renew, lateLogout],
        statuses: [200, 200],
        ending: 'SESSION_ENDED',
      },
      {
        order: 'logout with a replaced token, then renew',
        calls: [lateLogout, renew],
        statuses: [200, 401],
        ending: 'SESSION_ENDED',
      },
      { order: 'renew, then reuse', calls: [renew, reuse], statuses: [200, 401], ending: 'TOKEN_REUSED' },
      { order: 'reuse, then renew', calls: [reuse, renew], statuses: [401, 401], ending: 'TOKEN_REUSED' },
      { order: 'logout, then reuse', calls: [logout, reuse], statuses: [200, 401], ending: 'SESSION_ENDED' },
      { order: 'reuse, then logout', calls: [reuse, logout], statuses: [401, 200], ending: 'TOKEN_REUSED' },
      { order: 'reuse, then reuse', calls: [reuse, reuse], statuses: [401, 401], ending: 'TOKEN_REUSED' },
    ])('$order: the session has ended, and the log says once why', async ({ calls, statuses, ending }) => {
      const tokens = await renewedSession();
      const before = await countEvents();
      const [first, second] = calls.map(({ verb, token }, replica) => ({ verb, session: tokens[token], replica }));
      const answers = await inThisOrder(first!, second!);
      expect(answers.map(({ status }) => status)).toEqual(statuses);
      const issued = answers.map(({ data }) => data as Partial<ClientSession>).filter(data => data.headerValue);
      for (const session of [tokens.replaced, tokens.current, ...(issued as ClientSession[])])
        expect(await isAccepted(session)).toBe(false);
      const after = await countEvents();
      const endings = ['SESSION_ENDED', 'TOKEN_REUSED'].map(kind => (after[kind] ?? 0) - (before[kind] ?? 0));
      expect(endings).toEqual(ending === 'SESSION_ENDED' ? [1, 0] : [0, 1]);
    });
  });

  it('of two renewals of one token one succeeds, and the session continues with its token (A-28)', async () => {
    const { current } = await renewedSession();
    const both = { verb: 'renew', session: current } as const;
    const [won, lost] = await inThisOrder({ ...both, replica: 0 }, { ...both, replica: 1 });
    expect([won!.status, lost!.status, await isAccepted(won!.data as ClientSession)]).toEqual([200, 401, true]);
  });

  const step = fc.record({
    /** Whether the grace passes before this round. */
    isLate: fc.boolean(),
    calls: fc.array(
      fc.record({
        verb: fc.constantFrom<Verb>('renew', 'renew', 'renew', 'logout'),
        /** Which of the tokens so far, from the newest. */
        age: fc.constantFrom(0, 0, 0, 1, 2),
        replica: fc.constantFrom(0, 1),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });

  it('whatever comes at once, a session has one token or has ended, and the log says once why (A-28, A-32)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async steps => {
        const tokens = [await client.passwordLogin(account)];
        const before = await countEvents();
        let isLoggedOut = false;
        for (const { isLate, calls } of steps) {
          if (isLate) afterGrace();
          const asked = calls.map(({ age, ...rest }) => ({
            ...rest,
            session: tokens.at(-1 - Math.min(age, tokens.length - 1))!,
          }));
          const answers = await Promise.all(asked.map(call));
          answers.forEach(({ status, data }, index) => {
            expect([200, 401]).toContain(status);
            if (asked[index]!.verb === 'logout') {
              expect(status).toBe(200);
              isLoggedOut = true;
            } else if (status === 200) tokens.push(data as ClientSession);
          });
        }
        const accepted: number[] = [];
        for (const [index, token] of tokens.entries()) if (await isAccepted(token)) accepted.push(index);
        const after = await countEvents();
        const [endings, renewals] = [['SESSION_ENDED', 'TOKEN_REUSED'], ['SESSION_RENEWED']].map(kinds =>
          kinds.reduce((sum, kind) => sum + (after[kind] ?? 0) - (before[kind] ?? 0), 0),
        );
        expect(renewals).toBe(tokens.length - 1);
        expect({ accepted, endings }).toEqual(
          accepted.length === 0 ? { accepted: [], endings: 1 } : { accepted: [tokens.length - 1], endings: 0 },
        );
        if (isLoggedOut) expect(accepted).toEqual([]);
      }),
      { numRuns: 60, seed: 20_260_101, endOnFailure: true },
    );
  });
});

describe('the end of sessions (ADR 0029)', () => {
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
