import { generateKeyPairSync } from 'node:crypto';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import jsonwebtoken from 'jsonwebtoken';
import { type BearerAccount, type ClientSession, LoginClient, tokenOf } from '../testing/login-client';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec({}, 2);
const client = new LoginClient(service);
let bearer: BearerAccount;
let basicAccount: CreatedAccount;
let session: ClientSession;
beforeAll(async () => {
  bearer = await client.bearerAccount({ type: 'PSP', id: 1 }, false);
  basicAccount = await service.create({ type: 'PSP', id: 2 });
  session = await client.passwordLogin(bearer);
});
const later = undoneAfterEach();

const ended = '401 Invalid or expired JWT token';
const outcome = async (...authorization: string[]) => outcomeOf(await service.authorize({ authorization }));
const query = (sql: string, parameters: unknown[] = []) => service.database.dataSource.query(sql, parameters);

describe('a Bearer request', () => {
  it('gives the account the same rights as Basic gives, side by side (R-5-1, R-5.2-6)', async () => {
    for (const [path, expected] of [
      ['/pluto/code/create', 'allowed'],
      ['/portal/restful/merchant/notification/list', 'allowed'],
      ['/pluto/stk/x', '403 Forbidden'],
    ] as const) {
      const byBearer = await service.authorize({ path, authorization: [session.headerValue] });
      const byBasic = await service.authorize({
        path,
        authorization: [basic(basicAccount.username, basicAccount.apiPassword)],
      });
      expect([outcomeOf(byBearer), outcomeOf(byBasic)]).toEqual([expected, expected]);
    }
  });

  it('the switch to Bearer cannot be undone, by a statement either (R-5.2-5)', async () => {
    const back = query(`update account set mode = 'BASIC' where username = $1`, [bearer.username]);
    await expect(back).rejects.toThrow('the switch to Bearer cannot be undone');
    expect(await outcome(session.headerValue)).toBe('allowed');
  });

  it('a valid Bearer token wins over Basic; an invalid one is refused even beside good Basic credentials (A-19, R-5.2-2)', async () => {
    const good = basic(basicAccount.username, basicAccount.apiPassword);
    const answer = await service.authorize({ authorization: [good, session.headerValue] });
    if (!answer.allowed) throw new Error('denied');
    expect(jsonwebtoken.decode(answer.identity!)?.sub).toBe(bearer.username);
    expect(await outcome('Basic bm9uc2Vuc2U=', session.headerValue)).toBe('allowed');
    expect(await outcome(good, 'Bearer a.b.c')).toBe(ended);
    expect(await outcome(good, 'Bearer abc')).toBe('401 Invalid JWT token');
  });

  it.each([
    ['R-7-3 R-5.2-1', '<token>', '401 Invalid JWT token'],
    ['R-7-3 R-5.2-1', 'Bearer<token>', '401 Invalid JWT token'],
    ['R-7-3', 'Bearer', '401 Invalid JWT token'],
    ['R-7-3', 'Bearer not-a-jwt', '401 Invalid JWT token'],
    ['A-24', 'Bearer <token, other signature>', ended],
    ['A-24', 'Bearer <token, no signature>', ended],
    ['R-5.2-1', 'Bearer <token>', 'allowed'],
  ])('%s: `%s` is %s', async (_, line, expected) => {
    const token = tokenOf(session);
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const filled = line
      .replace('<token>', token)
      .replace('<token, other signature>', `${header}.${claims}.${signature.slice(0, -6)}AAAAAA`)
      .replace('<token, no signature>', `${header}.${claims}.`);
    expect(await outcome(filled)).toBe(expected);
  });

  describe('as in R-5.2-9, R-7-4, A-23', () => {
    it('an account not in Bearer mode gets an error that says so; the mode is read on each request', async () => {
      await query(`alter table account disable trigger account_bearer_is_for_good`);
      await query(`update account set mode = 'BASIC' where username = $1`, [bearer.username]);
      expect(await outcome(session.headerValue)).toBe('401 JWT Authentication disabled for this account');
      const renewed = await service.client('POST', '/authentication/renew', { data: { jwt: tokenOf(session) } });
      expect((renewed.data as { message: string }).message).toBe('JWT Authentication disabled for this account');
      await query(`update account set mode = 'BEARER' where username = $1`, [bearer.username]);
      await query(`alter table account enable trigger account_bearer_is_for_good`);
      expect(await outcome(session.headerValue)).toBe('allowed');
    });
  });

  it('`expires` rules, whatever the token itself claims (R-2.2-6)', async () => {
    const own = await client.passwordLogin(bearer);
    await query(`update session set expires_at = now() where id = $1`, [own.sessionId]);
    expect(await outcome(own.headerValue)).toBe(ended);
  });

  it('a token in the query string is never accepted (R-5.4-3)', async () => {
    const answer = await service.authorize({ path: `/pluto/code/create?access_token=${tokenOf(session)}` });
    expect(outcomeOf(answer)).toBe('401 Bad Credentials');
  });
});

describe('a token that only looks genuine (T-08)', () => {
  const claims = () => jsonwebtoken.decode(tokenOf(session)) as jsonwebtoken.JwtPayload;
  const header = () => jsonwebtoken.decode(tokenOf(session), { complete: true })!.header;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('of alg none is refused', async () => {
    for (const alg of ['none', 'None', 'NONE']) {
      expect(await outcome(`Bearer ${part({ ...header(), alg })}.${part(claims())}.`)).toBe(ended);
    }
  });

  it('signed with a key of the client, or with our public key as an HMAC secret, is refused', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const byRsa = jsonwebtoken.sign(claims(), privateKey, { algorithm: 'RS256', keyid: header().kid });
    const byGuess = jsonwebtoken.sign(claims(), 'k'.repeat(32), { header: header() });
    const { data } = await service.operator('GET', '/internal/jwks');
    const jwk = (data as { keys: { kid: string }[] }).keys[0]!;
    const byJwk = jsonwebtoken.sign(claims(), JSON.stringify(jwk), { header: { alg: 'HS256', typ: 'at+jwt', kid: jwk.kid } });
    for (const token of [byRsa, byGuess, byJwk]) expect(await outcome(`Bearer ${token}`)).toBe(ended);
  });

  it('with a URL for its key is refused', async () => {
    const tricks = { jku: 'https://evil.example/jwks', x5u: 'https://evil.example', kid: '../../etc/passwd' };
    const token = jsonwebtoken.sign(claims(), 'k'.repeat(32), { header: { ...header(), ...tricks } });
    expect(await outcome(`Bearer ${token}`)).toBe(ended);
  });

  it('an identity assertion or a service token is no access token', async () => {
    const answer = await service.authorize({ authorization: [session.headerValue] });
    if (!answer.allowed) throw new Error('denied');
    expect(await outcome(`Bearer ${answer.identity}`)).toBe(ended);
  });

  it('a token of the other environment is refused, even with the same keys', async () => {
    const production = await service.addReplica({ PAYCODE_ENVIRONMENT: 'production' });
    const answer = await service.authorize({ authorization: [session.headerValue] }, service.replicas.indexOf(production));
    expect(outcomeOf(answer)).toBe(ended);
  });
});

describe('a session that ends on one replica has ended on the other by the next request (T-09)', () => {
  const onOther = async (of: ClientSession) => outcomeOf(await service.authorize({ authorization: [of.headerValue] }, 1));

  it('logout, renew', async () => {
    const [first, second] = [await client.passwordLogin(bearer), await client.passwordLogin(bearer)];
    expect([await onOther(first), await onOther(second)]).toEqual(['allowed', 'allowed']);
    await service.client('POST', '/authentication/logout', { data: { jwt: tokenOf(first) } });
    await service.client('POST', '/authentication/renew', { data: { jwt: tokenOf(second) } });
    expect([await onOther(first), await onOther(second)]).toEqual([ended, ended]);
  });

  it('without its database auth-session decides nothing, neither allowed nor 401, and warns once a minute (T-09)', async () => {
    const lines: string[] = [];
    const capture = jest.spyOn(process.stdout, 'write').mockImplementation(line => lines.push(String(line)) > 0);
    later(() => capture.mockRestore());
    const lonely = await TestAuthSession.start({ LOG_LEVEL: 'warn' });
    later(() => lonely.stop());
    const { username, apiPassword } = await lonely.create({ type: 'PSP', id: 1 });
    const ask = () => lonely.authorize({ authorization: [basic(username, apiPassword)] });
    expect(outcomeOf(await ask())).toBe('allowed');
    await lonely.database.drop();
    for (let n = 0; n < 3; n++) await expect(ask()).rejects.toThrow('authorize answered 503');
    const failed = lines
      .map(line => JSON.parse(line) as { level: string; msg: string })
      .filter(({ msg }) => /^request/.test(msg));
    expect(failed.map(({ level }) => level)).toEqual(['warn']);
  });
});
