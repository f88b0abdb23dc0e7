import { constants, createHash, publicEncrypt, randomBytes } from 'node:crypto';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { type BearerAccount, type Challenge, LoginClient } from '../testing/login-client';
import type { AppOverrides } from '../app.module';
import { TestAuthSession } from '../testing/test-service';
import { RsaWorkerPool } from './rsa-worker-pool';

const service = TestAuthSession.ofSpec();
const client = new LoginClient(service);
let account: BearerAccount;
beforeAll(async () => (account = await client.bearerAccount({ type: 'PSP', id: 1 })));
afterEach(() => {
  service.clock.reset();
  jest.restoreAllMocks();
});
const later = undoneAfterEach();
const startOther = async (overrides: AppOverrides) => {
  const other = await TestAuthSession.start({}, 1, overrides);
  later(() => other.stop());
  return other;
};

const get = (query: string) => service.client('GET', `/authentication/login-challenges?${query}`);
const forgetGuesses = () => service.database.dataSource.query('delete from guess_count');
const untimed = (data: object) => ({ ...data, timestamp: '', requestId: '' });

describe('GET /authentication/login-challenges', () => {
  describe('as in R-0-2, R-4.1-1, R-2.3-1, R-2.3-2, R-2.3-3, R-5.3-2, R-5.3-3, A-36', () => {
    it('proves the service and challenges the client, without an Authorization header', async () => {
      const plaintext = randomBytes(64);
      const { status, data, headers } = await client.challenge('psp-1', plaintext);
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(Object.keys(data as object).sort()).toEqual([
        'base64EncodedChallenge',
        'base64EncodedClientChallengeResponse',
        'expires',
      ]);
      const challenge = data as Challenge;
      expect(challenge.expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      expect(challenge.base64EncodedClientChallengeResponse).toBe(createHash('sha256').update(plaintext).digest('base64'));
      // Decrypts with the client's key, or throws.
      expect(client.answer(account.privateKey, challenge).base64EncodedChallengeResponse).toHaveLength(44);
    });
  });

  it('a challenge lives 600 seconds in sandbox (R-8-2)', async () => {
    service.clock.set(Date.UTC(2030, 0, 1));
    expect((await client.challenge('psp-1')).data).toMatchObject({ expires: '2030-01-01T00:10:00.000Z' });
  });

  it('identity and clientChallenge are required (R-4.1-2, R-7-6)', async () => {
    const good = encodeURIComponent(await client.encryptToService(randomBytes(64)));
    for (const [query, field] of [
      [`clientChallenge=${good}`, 'identity'],
      ['identity=psp-1', 'clientChallenge'],
      [`identity=psp-1&clientChallenge=${good}&clientChallenge=${good}`, 'clientChallenge'],
      [`identity=&clientChallenge=${good}`, 'identity'],
    ] as const) {
      const { status, data } = await get(query);
      expect([status, (data as { errors: { field: string }[] }).errors[0]?.field]).toEqual([400, field]);
    }
  });

  describe('as in R-8-5, A-38, A-60, T-01, R-4.1-3', () => {
    it('one 400 for every bad clientChallenge, whatever is wrong with it', async () => {
      const sizes = await Promise.all([0, 1, 63, 65, 128].map(bytes => client.encryptToService(randomBytes(bytes))));
      const good = await client.encryptToService(Buffer.concat([randomBytes(63), Buffer.alloc(1)]));
      const withPlus = good.includes('+') ? good : `+${good.slice(1)}`;
      const bad = [
        ...sizes.map(encodeURIComponent),
        encodeURIComponent(randomBytes(512).toString('base64')),
        encodeURIComponent(randomBytes(511).toString('base64')),
        encodeURIComponent(randomBytes(512).toString('base64url')),
        encodeURIComponent(Buffer.alloc(512, 255).toString('base64')),
        'x',
        withPlus, // a raw `+` arrives as a blank
      ];
      const answers = [];
      for (const clientChallenge of bad) {
        for (const identity of ['psp-1', 'psp-404']) {
          await forgetGuesses();
          answers.push(await get(`identity=${identity}&clientChallenge=${clientChallenge}`));
        }
      }
      expect(answers.every(answer => answer.status === 400)).toBe(true);
      expect(new Set(answers.map(({ data }) => JSON.stringify(untimed(data as object)))).size).toBe(1);
      expect(answers[0]!.data).toMatchObject({ message: `Invalid 'clientChallenge'` });
      await forgetGuesses();
    });
  });

  describe('as in T-03, R-5.3-2', () => {
    it('only OAEP with SHA-1 is understood, for the label and for MGF1', async () => {
      const key = await client.servicePublicKey();
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      const encrypted = publicEncrypt({ key, padding, oaepHash: 'sha256' }, randomBytes(64)).toString('base64');
      expect((await get(`identity=psp-1&clientChallenge=${encodeURIComponent(encrypted)}`)).status).toBe(400);
      const pkcs1 = publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, randomBytes(64)).toString('base64');
      expect((await get(`identity=psp-1&clientChallenge=${encodeURIComponent(pkcs1)}`)).status).toBe(400);
      await forgetGuesses();
    });
  });

  it('an identity that is unknown, in Basic mode or without a key gets the same shape, and nobody can answer it (A-37, T-06)', async () => {
    const basic = await service.create({ type: 'PSP', id: 2 });
    const keyless = await client.bearerAccount({ type: 'PSP', id: 3 }, false);
    const shapeOf = (data: object) => Object.entries(data).map(([name, value]) => [name, String(value).length]);
    const genuine = await client.challenge('psp-1');
    for (const identity of ['psp-404', basic.username, keyless.username]) {
      const decoy = await client.challenge(identity);
      expect([decoy.status, shapeOf(decoy.data as object)]).toEqual([200, shapeOf(genuine.data as object)]);
      expect(Object.keys(decoy.headers).sort()).toEqual(Object.keys(genuine.headers).sort());
      expect(() => client.answer(account.privateKey, decoy.data as Challenge)).toThrow();
    }
    // Nobody can answer a decoy; an attempt costs the challenge and gives no token.
    const { data } = await client.challenge(keyless.username);
    const encrypted = Buffer.from((data as Challenge).base64EncodedChallenge, 'base64');
    const login = await client.login({
      identity: keyless.username,
      password: keyless.password,
      base64EncodedChallengeHash: createHash('sha256').update(encrypted).digest('base64'),
      base64EncodedChallengeResponse: createHash('sha256').update(randomBytes(64)).digest('base64'),
    });
    expect([login.status, (login.data as { message: string }).message]).toEqual([401, 'Bad Credentials']);
    await forgetGuesses();
  });

  it('an address that asks too often gets 429 with Retry-After (T-02)', async () => {
    const limited = await startOther({ challengesPerMinute: 2 });
    limited.clock.set(Date.now());
    const limitedClient = new LoginClient(limited);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await limitedClient.challenge(`psp-${i}`)).status);
    const refused = await limitedClient.challenge('psp-9');
    expect([statuses, refused.headers['retry-after']]).toEqual([[200, 200, 429], '60']);
    limited.clock.advance(61_000);
    expect((await limitedClient.challenge('psp-9')).status).toBe(200);
  });

  it('redeemed challenges count, and invalid client challenges count tenfold (T-01, T-02)', async () => {
    const limited = await startOther({ challengesPerMinute: 12 });
    const limitedClient = new LoginClient(limited);
    const owner = await limitedClient.bearerAccount({ type: 'PSP', id: 1 });
    const bad = encodeURIComponent(randomBytes(512).toString('base64'));
    const statuses = [
      (await limited.client('GET', `/authentication/login-challenges?identity=psp-1&clientChallenge=${bad}`)).status,
    ];
    for (let i = 0; i < 2; i++) await limitedClient.fullLogin(owner);
    statuses.push((await limitedClient.challenge(owner.username)).status);
    expect(statuses).toEqual([400, 429]);
  });

  it('a decoy is encrypted to the key of its identity, which never changes (T-06, A-37)', async () => {
    const encrypt = jest.spyOn(RsaWorkerPool.prototype, 'challenge');
    for (const identity of ['psp-501', 'psp-502', 'psp-501']) await client.challenge(identity);
    const keys = encrypt.mock.calls.map(([publicKey]) => publicKey);
    expect([keys.length, new Set(keys).size, keys[0] === keys[2]]).toEqual([3, 2, true]);
  });

  it.each(['psp-1%00', 'psp%0A1', '%C2%85'])('an identity with a control character (%s) is a 400 (R-5.1-2)', async identity => {
    const good = encodeURIComponent(await client.encryptToService(randomBytes(64)));
    expect((await get(`identity=${identity}&clientChallenge=${good}`)).status).toBe(400);
  });

  it('RSA work beyond the queue is refused at once with 429 and Retry-After (T-02)', async () => {
    const tiny = await startOther({ rsaQueueMax: 1 });
    const tinyClient = new LoginClient(tiny);
    await tinyClient.servicePublicKey();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => tinyClient.challenge(`psp-${i}`)));
    const refused = answers.filter(answer => answer.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(answer => answer.headers['retry-after'] === '1')).toBe(true);
    expect((await tinyClient.challenge('psp-1')).status).toBe(200);
  });

  it('the challenge key is used for nothing else (T-01)', async () => {
    const keys = await service.database.dataSource.query<{ use: string; count: number }[]>(
      'select use, count(*)::int from signing_key group by use order by use',
    );
    expect(keys.filter(key => key.use === 'CHALLENGE')).toEqual([{ use: 'CHALLENGE', count: 1 }]);
    const jwks = (await service.operator('GET', '/internal/jwks')).data as { keys: { kty: string; d?: string }[] };
    expect(new Set(jwks.keys.map(({ kty, d }) => `${kty}, private part ${d}`))).toEqual(new Set(['EC, private part undefined']));
  });
});
