import { basic, type ExactAnswer } from './testing/exact-gateway-client';
import { sharedPlatform } from './testing/platform';
import { SessionClient } from './testing/session-client';

const path = '/pluto/purchase/notification/1';
const untimed = ({ text }: ExactAnswer) =>
  text.replace(/"timestamp":"[^"]*"/, '"timestamp":""').replace(/"requestId":"[^"]*"/, '"requestId":""');

/** Codes of the error catalogue (ADR 0054). */
const codes: Record<string, string> = {
  'Bad Credentials': 'BAD_CREDENTIALS',
  'Invalid or expired JWT token': 'TOKEN_EXPIRED',
  'Invalid JWT token': 'TOKEN_MALFORMED',
};

/** Answers to a client that is not authorized: spec 7, byte for byte. */
describe('refusals', () => {
  const client = new SessionClient(sharedPlatform());
  const get = (...authorization: string[]) =>
    client.gateway.send({ path, headers: authorization.flatMap(line => ['Authorization', line]) });

  it.each([
    ['R-7-1', 'Basic cHNwLTE6d3Jvbmc=', 'Bad Credentials'],
    ['R-7-2', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwc3AtMSJ9.AAAA', 'Invalid or expired JWT token'],
    ['R-7-3', 'Bearer nonsense', 'Invalid JWT token'],
    ['R-7-3', 'Bearer', 'Invalid JWT token'],
    ['R-7-3', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwc3AtMSJ9.AAAA', 'Invalid JWT token'],
    ['R-7-3', 'Token abc', 'Invalid JWT token'],
  ])('%s: `Authorization: %s` is 401 `%s`, and its code', async (_, line, message) => {
    const answer = await get(line);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="paycode", Bearer']);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const { timestamp, requestId, ...rest } = JSON.parse(answer.text) as Record<string, unknown>;
    expect(rest).toEqual({ status: 401, error: 'Unauthorized', message, code: codes[message], path });
    expect(Date.parse(timestamp as string)).not.toBeNaN();
    expect(answer.headers['x-request-id']).toBe(requestId);
  });

  it('no credentials at all is Bad Credentials, naming both schemes (A-25)', async () => {
    const answer = await get();
    expect([answer.status, answer.message]).toEqual([401, 'Bad Credentials']);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="paycode", Bearer');
  });

  it('a wrong user name and a wrong password cannot be told apart (R-5.1-2, T-06)', async () => {
    const [unknown, wrong] = [
      await get(basic({ username: 'psp-404404', password: 'wrong' })[1]!),
      await get(basic({ username: 'psp-1', password: 'wrong' })[1]!),
    ];
    expect([untimed(unknown), Object.keys(unknown.headers)]).toEqual([untimed(wrong), Object.keys(wrong.headers)]);
  });

  describe('as in R-7-6, R-4.1-2, R-4.1-4, A-26, A-34', () => {
    it('a request that is not well formed is a 400 that names the field', async () => {
      const fieldsOf = (answer: ExactAnswer) =>
        (JSON.parse(answer.text) as { errors: { field: string }[] }).errors.map(({ field }) => field);
      const missing = await client.gateway.send({ path: '/authentication/login-challenges?identity=psp-1' });
      expect([missing.status, fieldsOf(missing)[0]]).toEqual([400, 'clientChallenge']);
      const cases: [string, object, string][] = [
        ['login', { identity: 'psp-1' }, 'password'],
        ['login', { password: 'x' }, 'identity'],
        ['login', { identity: 'psp-1', password: 'x', base64EncodedChallengeHash: 'x' }, 'base64EncodedChallengeResponse'],
        ['renew', {}, 'jwt'],
      ];
      for (const [endpoint, body, field] of cases) {
        const answer = await client.post(endpoint, body);
        expect([answer.status, fieldsOf(answer)[0]]).toEqual([400, field]);
      }
    });
  });

  describe('as in R-8-5, A-38, A-60', () => {
    it('every bad clientChallenge gets one and the same 400', async () => {
      const bodies = new Set<string>();
      for (const clientChallenge of ['x', encodeURIComponent(Buffer.alloc(512).toString('base64')), `+${'A'.repeat(682)}=`]) {
        const query = `identity=psp-1&clientChallenge=${clientChallenge}`;
        const answer = await client.gateway.send({ path: `/authentication/login-challenges?${query}` });
        expect(answer.status).toBe(400);
        bodies.add(untimed(answer));
      }
      expect(bodies.size).toBe(1);
    });
  });

  it('a login that is not JSON is a 415 (R-5.4-1, R-4-1)', async () => {
    const headers = ['Content-Type', 'application/x-www-form-urlencoded'];
    const body = 'identity=psp-1&password=x';
    expect((await client.gateway.send({ method: 'POST', path: '/authentication/login', headers, body })).status).toBe(415);
  });

  it('a token in the query string is refused (R-5.4-3)', async () => {
    const session = await client.logIn(await client.bearerAccount());
    const token = session.headerValue.slice('Bearer '.length);
    const answer = await client.gateway.send({ path: `${path}?access_token=${token}&Authorization=Bearer%20${token}` });
    expect([answer.status, answer.message]).toEqual([401, 'Bad Credentials']);
  });

  it('guessing is slowed down, with 429 and Retry-After, and locks out neither its victim nor anybody else at the address (T-05)', async () => {
    const [victim, other] = [await client.basicAccount(), await client.basicAccount()];
    const wrong = basic({ ...victim, password: 'wrong' })[1]!;
    let answer = await get(wrong);
    for (let tries = 1; answer.status === 401 && tries < 10; tries++) answer = await get(wrong);
    expect([answer.status, answer.message]).toEqual([429, 'Too Many Requests']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    for (const account of [victim, other]) expect(await client.use(...basic(account))).toBe('let in');
  });
});
