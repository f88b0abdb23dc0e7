import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { basic, outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec();
const later = undoneAfterEach();

const spki = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

describe('accounts, as operators manage them', () => {
  describe('as in R-2.1-1, R-2.1-2, R-2.1-3, R-2.1-4, A-40, A-42', () => {
    it('names and roles follow from the type', async () => {
      const created = [
        await service.operator('POST', '/internal/accounts', { type: 'MANAGER', id: 7 }),
        await service.operator('POST', '/internal/accounts', { type: 'MERCHANT', id: 1001 }),
        await service.operator('POST', '/internal/accounts', { type: 'PSP', id: 1 }),
        await service.operator('POST', '/internal/accounts', { type: 'STK', username: 'Vodacom USSD #1' }),
        await service.operator('POST', '/internal/accounts', { type: 'ACQUIRER', username: 'bank-a', acquirer: 'Bank A' }),
      ];
      expect(created.map(answer => answer.status)).toEqual([201, 201, 201, 201, 201]);
      expect(created.map(({ data: { username, type, roles, mode } }) => [username, type, roles, mode])).toEqual([
        ['manager-7', 'MANAGER', [], 'BASIC'],
        ['merchant-1001', 'MERCHANT', ['EXTERNAL'], 'BASIC'],
        ['psp-1', 'PSP', ['EXTERNAL'], 'BASIC'],
        ['Vodacom USSD #1', 'STK', ['STK'], 'BASIC'],
        ['bank-a', 'ACQUIRER', [], 'BASIC'],
      ]);
      expect(new Set(created.map(({ data }) => data.apiPassword)).size).toBe(5);
      // The fast keyed hash is enough because passwords have at least 128 random bits (T-04).
      expect(created.every(({ data }) => Buffer.from(data.apiPassword, 'base64url').length * 8 >= 128)).toBe(true);
    });
  });

  it('a username of any form can be named in a path (R-2.1-4)', async () => {
    for (const username of ['stk/1', 'Ünïcode ☎', 'a%2Fb', '...', 'q?x#y']) {
      await service.create({ type: 'STK', username });
      const { data } = await service.operator('GET', `/internal/accounts/${encodeURIComponent(username)}`);
      expect(data).toMatchObject({ username });
    }
  });

  it('refuses a name that is taken, or one that does not fit its type', async () => {
    const statuses = await Promise.all(
      [
        { type: 'MERCHANT' },
        { type: 'MERCHANT', id: '25' },
        { type: 'MERCHANT', id: 0 },
        { type: 'STK' },
        { type: 'STK', username: 'a:b' },
        { type: 'STK', username: '..' },
        { type: 'STK', username: 'psp-4' },
        { type: 'ACQUIRER', username: 'bank-b' },
        { type: 'INTERNAL', username: 'x' },
      ].map(async body => (await service.operator('POST', '/internal/accounts', body)).status),
    );
    expect(statuses).toEqual(statuses.map(() => 400));
    expect((await service.operator('POST', '/internal/accounts', { type: 'PSP', id: 1 })).status).toBe(409);
  });

  it('answers operators only (T-27)', async () => {
    const anonymous = await fetch(`${service.url('internal')}/internal/accounts/psp-1`);
    expect(anonymous.status).toBe(401);
    expect((await service.client('GET', '/internal/accounts/psp-1')).status).toBe(404);
  });

  it('shows an account without secrets', async () => {
    const { data } = await service.operator('GET', '/internal/accounts/psp-1');
    expect(data).toMatchObject({ username: 'psp-1', type: 'PSP', mode: 'BASIC', ownerId: 1, hasPassword: true });
    expect(Object.keys(data)).not.toContain('passwordHash');
    expect((await service.operator('GET', '/internal/accounts/nobody')).status).toBe(404);
  });

  it('after a new password the old one fails on the next request (R-2.1-5)', async () => {
    const { username, apiPassword } = await service.create({ type: 'PSP', id: 2 });
    const { data } = await service.operator('POST', `/internal/accounts/${username}/password`);
    expect(data.apiPassword).not.toBe(apiPassword);
    const outcome = async (password: string) =>
      outcomeOf(await service.authorize({ authorization: [basic(username, password)] }));
    expect([await outcome(apiPassword), await outcome(data.apiPassword)]).toEqual(['401 Bad Credentials', 'allowed']);
  });

  it('a password moves to the current pepper when it is next used (T-04)', async () => {
    const [oldPepper, newPepper] = ['old', 'new'].map(kid => `${kid}:${randomBytes(32).toString('base64')}`) as [string, string];
    const own = await TestAuthSession.start({ PASSWORD_PEPPERS: oldPepper });
    later(() => own.stop());
    const { username, apiPassword } = await own.create({ type: 'PSP', id: 1 });
    await own.addReplica({ PASSWORD_PEPPERS: `${newPepper},${oldPepper}` });
    await own.addReplica({ PASSWORD_PEPPERS: newPepper });
    const at = async (replica: number) =>
      outcomeOf(await own.authorize({ authorization: [basic(username, apiPassword)] }, replica));
    expect([await at(2), await at(1), await at(2)]).toEqual(['401 Bad Credentials', 'allowed', 'allowed']);
  });

  it('a password works without any age limit (R-2.1-6)', async () => {
    const { username, apiPassword } = await service.create({ type: 'PSP', id: 3 });
    service.clock.advance(20 * 365 * 86_400_000);
    expect(outcomeOf(await service.authorize({ authorization: [basic(username, apiPassword)] }))).toBe('allowed');
    service.clock.reset();
  });

  describe('as in R-5.2-3, R-5.2-4, R-5.2-5, A-20, A-21', () => {
    it('the switch to Bearer ends the password, and a new one does not work with Basic', async () => {
      const { username, apiPassword } = await service.create({ type: 'MERCHANT', id: 4 });
      const switched = await service.operator('POST', `/internal/accounts/${username}/bearer`);
      expect(switched.data).toMatchObject({ mode: 'BEARER', hasPassword: false });
      const { data } = await service.operator('POST', `/internal/accounts/${username}/password`);
      for (const password of [apiPassword, data.apiPassword]) {
        expect(outcomeOf(await service.authorize({ authorization: [basic(username, password)] }))).toBe('401 Bad Credentials');
      }
      // A repeated switch request does not clear the password generated since the first one.
      expect((await service.operator('POST', `/internal/accounts/${username}/bearer`)).data.hasPassword).toBe(true);
    });
  });

  describe('as in R-5.3-1, R-8-4', () => {
    it('registers an RSA-4096 key in base64 X.509 and nothing else', async () => {
      const { username } = await service.create({ type: 'MERCHANT', id: 5 });
      const put = (body: object) => service.operator('PUT', `/internal/accounts/${username}/public-key`, body);
      const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
      const bad = [spki(2048), ec.toString('base64'), 'bm90IGEga2V5', '', '***'];
      for (const publicKey of bad) expect((await put({ publicKey })).status).toBe(400);
      const neither = [{}, { publicKey: null }, { challengeRequired: null }, { publicKey: null, challengeRequired: null }];
      for (const body of neither) expect((await put(body)).data).toMatchObject({ status: 400, errors: [{ field: 'publicKey' }] });
      expect((await put({ challengeRequired: true })).status).toBe(400);
      const registered = await put({ publicKey: spki(4096), challengeRequired: true });
      expect(registered.data).toMatchObject({
        challengeRequired: true,
        publicKeySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect((await put({ publicKey: null, challengeRequired: false })).data).toMatchObject({
        challengeRequired: false,
        publicKeySha256: registered.data.publicKeySha256 as string,
      });
    });
  });

  it('writes every change to the append-only log, with who and when and no secret', async () => {
    const { username, apiPassword } = await service.create({ type: 'STK', username: 'stk-log' });
    await service.operator('POST', `/internal/accounts/${username}/password`);
    await service.operator('POST', `/internal/accounts/${username}/bearer`);
    const events = await service.database.dataSource.query('select * from security_event where subject = $1 order by id', [
      username,
    ]);
    expect(events.map((event: { kind: string; actor: string }) => [event.kind, event.actor])).toEqual([
      ['ACCOUNT_CREATED', 'operator test-operator'],
      ['PASSWORD_GENERATED', 'operator test-operator'],
      ['BEARER_ENABLED', 'operator test-operator'],
    ]);
    expect(JSON.stringify(events)).not.toContain(apiPassword);
    for (const sql of ['delete from security_event', `update security_event set kind = 'x'`, 'truncate security_event']) {
      await expect(service.database.dataSource.query(sql)).rejects.toThrow('append-only');
    }
  });
});
