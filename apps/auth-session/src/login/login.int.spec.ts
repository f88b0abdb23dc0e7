import { randomBytes } from 'node:crypto';
import type { AxiosResponse } from 'axios';
import jsonwebtoken from 'jsonwebtoken';
import { type BearerAccount, type Challenge, LoginClient, tokenOf } from '../testing/login-client';
import { outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec();
const client = new LoginClient(service);
let account: BearerAccount;
beforeAll(async () => (account = await client.bearerAccount({ type: 'PSP', id: 1 })));
let tests = 0;
afterEach(async () => {
  service.clock.reset();
  // A replica may use guess counts that are a moment old.
  service.clock.advance(2_000 * ++tests);
  await service.database.dataSource.query('delete from guess_count');
});

const says = ({ status, data }: AxiosResponse) => `${status} ${(data as { message?: string }).message ?? 'ok'}`;
const wrong = randomBytes(32).toString('base64');
/** Login of `account` with a fresh challenge, changed by `spoil`. */
async function loginWith(spoil: (body: Record<string, string>) => Record<string, unknown>): Promise<string> {
  const { data } = await client.challenge(account.username);
  const body = {
    identity: account.username,
    password: account.password,
    ...client.answer(account.privateKey, data as Challenge),
  };
  return says(await client.login(spoil(body)));
}

describe('POST /authentication/login', () => {
  describe('as in R-2.2-1, R-2.2-2, R-2.2-3, R-2.2-4, R-2.2-5, R-5.3-3, R-4.1-5, R-4.1-6, R-5.2-7, R-8-3, A-35', () => {
    it('the full challenge-response login gives a session of 15 minutes', async () => {
      service.clock.set(Date.UTC(2030, 0, 1) + 1);
      const session = await client.fullLogin(account);
      expect(session).toEqual({
        headerName: 'Authorization',
        headerValue: expect.stringMatching(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/),
        sessionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        // 15 minutes from issuance, to the millisecond.
        expires: '2030-01-01T00:15:00.001Z',
      });
      expect(outcomeOf(await service.authorize({ authorization: [session.headerValue] }))).toBe('allowed');
    });
  });

  it('identity and password alone give a token (R-4.1-7)', async () => {
    const session = await client.passwordLogin(account);
    expect(outcomeOf(await service.authorize({ authorization: [session.headerValue] }))).toBe('allowed');
  });

  it('regression: the challenge fields may be null, as every optional field (R-4.1-7)', async () => {
    const body = {
      identity: account.username,
      password: account.password,
      base64EncodedChallengeHash: null,
      base64EncodedChallengeResponse: null,
    };
    expect(says(await client.login(body))).toBe('200 ok');
  });

  it('identity and password are required (R-4.1-4, R-7-6)', async () => {
    for (const body of [{ identity: 'psp-1' }, { password: 'x' }, { identity: 1, password: 'x' }, {}]) {
      expect((await client.login(body)).status).toBe(400);
    }
  });

  it('a wrong hash or response gives no token even with the right password (R-4.1-8, T-07)', async () => {
    expect(await loginWith(body => body)).toBe('200 ok');
    expect(await loginWith(body => ({ ...body, base64EncodedChallengeHash: wrong }))).toBe('401 Bad Credentials');
    expect(await loginWith(body => ({ ...body, base64EncodedChallengeResponse: wrong }))).toBe('401 Bad Credentials');
    expect(await loginWith(body => ({ ...body, base64EncodedChallengeResponse: '' }))).toBe('401 Bad Credentials');
    expect(await loginWith(body => ({ ...body, password: 'wrong' }))).toBe('401 Bad Credentials');
  });

  it('an identity with a control character is a 400, and reaches no store (R-5.1-2)', async () => {
    for (const identity of ['psp-1\u0000', '\u0000', 'psp\n1', '\u0085']) {
      expect((await client.login({ identity, password: 'x' })).status).toBe(400);
    }
  });

  it('one challenge field without the other is a 400, not a login without challenge (A-34)', async () => {
    expect(await loginWith(({ base64EncodedChallengeHash: _, ...body }) => body)).toMatch(/^400 /);
    expect(await loginWith(({ base64EncodedChallengeResponse: _, ...body }) => body)).toMatch(/^400 /);
    expect(await loginWith(body => ({ ...body, base64EncodedChallengeHash: null }))).toMatch(/^400 /);
  });

  it('a challenge serves one login, also when that login fails (A-33)', async () => {
    const { data } = await client.challenge(account.username);
    const answer = client.answer(account.privateKey, data as Challenge);
    const good = { identity: account.username, password: account.password, ...answer };
    expect(says(await client.login({ ...good, password: 'wrong' }))).toBe('401 Bad Credentials');
    expect(says(await client.login(good))).toBe('401 Bad Credentials');
    const replayed = await client.challenge(account.username);
    const again = { ...good, ...client.answer(account.privateKey, replayed.data as Challenge) };
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => client.login(again)));
    expect(outcomes.map(outcome => outcome.status).sort()).toEqual([200, 401, 401, 401, 401]);
  });

  it('a challenge is bound to the identity it was given to (A-33)', async () => {
    const other = await client.bearerAccount({ type: 'PSP', id: 2 }, false);
    const { data } = await client.challenge(account.username);
    const answer = client.answer(account.privateKey, data as Challenge);
    expect(says(await client.login({ identity: other.username, password: other.password, ...answer }))).toBe(
      '401 Bad Credentials',
    );
  });

  it('a challenge is refused from the moment it expires (R-8-2, A-61)', async () => {
    service.clock.set(Date.UTC(2030, 0, 1));
    const answers = [];
    for (let i = 0; i < 2; i++) {
      const { data } = await client.challenge(account.username);
      answers.push(client.answer(account.privateKey, data as Challenge));
    }
    const login = (answer: object) => client.login({ identity: account.username, password: account.password, ...answer });
    service.clock.advance(599_999);
    expect(says(await login(answers[0]!))).toBe('200 ok');
    service.clock.advance(1);
    expect(says(await login(answers[1]!))).toBe('401 Bad Credentials');
  });

  it('an account that demands the challenge cannot log in without it (A-39, T-10)', async () => {
    const strict = await client.bearerAccount({ type: 'PSP', id: 3 });
    await service.operator('PUT', `/internal/accounts/${strict.username}/public-key`, { challengeRequired: true });
    expect(says(await client.login({ identity: strict.username, password: strict.password }))).toBe('401 Bad Credentials');
    expect((await client.fullLogin(strict)).headerName).toBe('Authorization');
  });

  it('a Basic-mode account learns its mode with the right password only (A-22, R-7-4)', async () => {
    const { username, apiPassword } = await service.create({ type: 'PSP', id: 4 });
    const login = (password: string) => client.login({ identity: username, password });
    expect(says(await login(apiPassword))).toBe('401 JWT Authentication disabled for this account');
    expect(says(await login('wrong'))).toBe('401 Bad Credentials');
  });

  it('after the switch to Bearer no login works until a new password is generated (A-21)', async () => {
    const { username, apiPassword } = await service.create({ type: 'PSP', id: 5 });
    await service.operator('POST', `/internal/accounts/${username}/bearer`);
    expect(says(await client.login({ identity: username, password: apiPassword }))).toBe('401 Bad Credentials');
    const { data } = await service.operator('POST', `/internal/accounts/${username}/password`);
    const { apiPassword: password } = data as { apiPassword: string };
    expect((await client.passwordLogin({ username, password })).headerName).toBe('Authorization');
  });

  it('unknown identity, wrong password and wrong challenge cannot be told apart, and have WWW-Authenticate (T-06, A-25)', async () => {
    const untimed = ({ data }: AxiosResponse) => ({ ...(data as object), timestamp: '', requestId: '' });
    const challengeFields = { base64EncodedChallengeHash: wrong, base64EncodedChallengeResponse: wrong };
    const answers = [
      await client.login({ identity: 'nobody', password: 'x' }),
      await client.login({ identity: account.username, password: 'x' }),
      await client.login({ identity: account.username, password: account.password, ...challengeFields }),
      await client.login({ identity: 'nobody', password: 'x', ...challengeFields }),
    ];
    for (const answer of answers) {
      expect(untimed(answer)).toEqual(untimed(answers[0]!));
      expect(answer.headers['www-authenticate']).toBe('Basic realm="paycode", Bearer');
      expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(answers[0]!.headers).sort());
    }
  });

  it('a body that is not declared JSON is a 415 (R-5.4-1, R-4-1)', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await service.client('POST', '/authentication/login', { data: 'identity=psp-1&password=x', headers });
    expect(answer.status).toBe(415);
  });

  it('login answers forbid caching (R-5.4-3)', async () => {
    const answer = await client.login({ identity: account.username, password: account.password });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('the token names one algorithm, its kind, environment and key (T-08)', async () => {
    const { header, payload } = jsonwebtoken.decode(tokenOf(await client.passwordLogin(account)), { complete: true })!;
    expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: 'auth-session',
      aud: 'paycode-sandbox',
      sub: account.username,
      sid: expect.any(String),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
  });

  it('writes logins, good and bad, to the security log with the kind of login and where from', async () => {
    const events = await service.database.dataSource.query<{ kind: string; detail: string; subject: string | null }[]>(
      `select distinct kind, detail, subject from security_event where kind like 'LOGIN%' and address = '127.0.0.1'`,
    );
    expect(events).toEqual(
      expect.arrayContaining([
        { kind: 'LOGIN_SUCCEEDED', detail: 'challenge', subject: 'psp-1' },
        { kind: 'LOGIN_SUCCEEDED', detail: 'password', subject: 'psp-1' },
        { kind: 'LOGIN_FAILED', detail: 'password', subject: 'psp-1' },
        { kind: 'LOGIN_FAILED', detail: 'challenge', subject: 'psp-1' },
        // The text may be a password that was typed in the wrong field, so the service does not log an identity without account.
        { kind: 'LOGIN_FAILED', detail: 'password', subject: null },
      ]),
    );
  });
});
