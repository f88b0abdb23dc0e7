import { createHash, generateKeyPairSync } from 'node:crypto';
import type { PortalAccount, PortalAccountOperation, PortalAnswer } from '@paycode/dto';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from '../../testing/test-service';

let service: TestAuthSession;
let merchantId = 5_000;
let account: CreatedAccount;
beforeAll(async () => {
  service = await TestAuthSession.start();
});
beforeEach(async () => {
  merchantId += 1;
  account = await service.create({ type: 'MERCHANT', id: merchantId });
});
afterAll(() => service.stop());

const actor = 'Thandi Nkosi <thandi@shop.example>';
const ask = async <T>(operation: PortalAccountOperation, over: object = {}) => {
  const body = { type: 'MERCHANT', ownerId: merchantId, actor, ...over };
  const { status, data } = await service.as('portal', `/internal/portal/accounts/${operation}`, body);
  return { status, answer: data as PortalAnswer<T> };
};
const use = async (apiPassword: string) =>
  outcomeOf(await service.authorize({ authorization: [basic(account.username, apiPassword)] }));
const recorded = () =>
  service.database.dataSource.query<{ kind: string; actor: string }[]>(
    "select kind, actor from security_event where subject = $1 and kind <> 'ACCOUNT_CREATED' and actor <> 'client'",
    [account.username],
  );

describe('the account of a merchant, as its people manage it in the portal', () => {
  it('has a new password that works at once, and the old one fails at once (R-2.1-5)', async () => {
    expect(await use(account.apiPassword)).toBe('allowed');
    const { answer } = await ask<{ apiPassword: string }>('new-password');
    if (!answer.ok) throw new Error(answer.message);
    expect(await use(account.apiPassword)).toBe('401 Bad Credentials');
    expect(await use(answer.value.apiPassword)).toBe('allowed');
    expect(await recorded()).toEqual([{ kind: 'PASSWORD_GENERATED', actor: `portal ${actor}` }]);
  });

  it('takes an RSA-4096 key and shows its fingerprint, and says what is wrong with another (R-5.3-1)', async () => {
    const spki = (modulusLength: number) =>
      generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'der', type: 'spki' });
    const short = await ask('set-public-key', { publicKey: spki(2_048).toString('base64') });
    expect(short.answer).toMatchObject({ ok: false, status: 400, message: expect.stringContaining('publicKey') });
    expect((await ask('set-public-key')).answer).toMatchObject({ ok: false, status: 400, message: 'publicKey is missing' });
    expect(await recorded()).toEqual([]);
    const key = spki(4_096);
    const { answer } = await ask<PortalAccount>('set-public-key', { publicKey: key.toString('base64') });
    const publicKeySha256 = createHash('sha256').update(key).digest('hex');
    expect(answer).toMatchObject({ ok: true, value: { username: account.username, publicKeySha256 } });
    expect(await recorded()).toEqual([{ kind: 'PUBLIC_KEY_REGISTERED', actor: `portal ${actor}` }]);
  });

  it('is shown without a secret', async () => {
    const { answer } = await ask<PortalAccount>('show');
    if (!answer.ok) throw new Error(answer.message);
    expect(Object.keys(answer.value).sort()).toEqual([
      'challengeRequired',
      'hasPassword',
      'mode',
      'passwordChangedAt',
      'publicKeySha256',
      'username',
    ]);
    expect(answer.value).toMatchObject({ username: account.username, mode: 'BASIC', hasPassword: true, publicKeySha256: null });
  });

  it('is managed for the portal alone, and only accounts of merchants and PSPs are (T-27)', async () => {
    const body = { type: 'MERCHANT', ownerId: merchantId, actor };
    for (const caller of ['notification-config', 'operator', 'api-gateway'] as const)
      expect((await service.as(caller, '/internal/portal/accounts/new-password', body)).status).toBe(403);
    expect((await ask('new-password', { type: 'MANAGER' })).status).toBe(400);
    expect((await ask('new-password', { actor: '' })).status).toBe(400);
    expect((await ask('new-password', { ownerId: 999_999 })).answer).toMatchObject({ ok: false, status: 404 });
    expect(await use(account.apiPassword)).toBe('allowed');
  });
});
