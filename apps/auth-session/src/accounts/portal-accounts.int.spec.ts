import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { PortalAccount, PortalAccountOperation, PortalAnswer, PortalApiSession } from '@paycode/dto';
import { basic, type CreatedAccount, outcomeOf, TestAuthSession } from '../testing/test-service';

const service = TestAuthSession.ofSpec();
let merchantId = 5_000;
let account: CreatedAccount;
beforeEach(async () => {
  merchantId += 1;
  account = await service.create({ type: 'MERCHANT', id: merchantId });
});

const actor = 'Thandi Nkosi <thandi@shop.example>';
const ask = async <T>(operation: PortalAccountOperation, over: { ownerId?: number; [field: string]: unknown } = {}) => {
  const body = { type: 'MERCHANT', ownerId: merchantId, ...over };
  const person = { tenantId: String(body.ownerId), actor };
  const { status, data } = await service.asPerson(person, `/internal/portal/accounts/${operation}`, body);
  return { status, answer: data as PortalAnswer<T> };
};
const use = async (apiPassword: string) =>
  outcomeOf(await service.authorize({ authorization: [basic(account.username, apiPassword)] }));
const recorded = () =>
  service.database.dataSource.query<{ kind: string; actor: string }[]>(
    "select kind, actor from security_event where subject = $1 and kind <> 'ACCOUNT_CREATED' and actor <> 'client'",
    [account.username],
  );

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 4_096 });

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
      'sourceAddresses',
      'username',
    ]);
    expect(answer.value).toMatchObject({ username: account.username, mode: 'BASIC', hasPassword: true, publicKeySha256: null });
  });

  it('says whether a signature is of the registered key, and changes nothing by it (R-5.3-1)', async () => {
    const nonce = 'nonce-of-16-chars-or-more';
    const [own, other] = [keyPair(), keyPair()];
    const signed = (key: typeof own, text: string) => sign('sha256', Buffer.from(text), key.privateKey).toString('base64');
    const text = `paycode-key-test ${account.username} ${nonce}`;
    const tried = async (signature: string) => (await ask('try-public-key', { nonce, signature })).answer;
    expect(await tried(signed(own, text))).toMatchObject({ ok: false, status: 400, message: 'publicKey is not registered yet' });
    const publicKey = own.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    await ask('set-public-key', { publicKey });
    expect(await tried(signed(own, text))).toEqual({ ok: true, value: { verifies: true } });
    expect(await tried(signed(other, text))).toEqual({ ok: true, value: { verifies: false } });
    expect(await tried(signed(own, nonce))).toEqual({ ok: true, value: { verifies: false } });
    expect(await tried('not base64!')).toEqual({ ok: true, value: { verifies: false } });
    expect((await ask('try-public-key', { nonce: 'short', signature: 'AAAA' })).status).toBe(400);
    expect((await recorded()).map(({ kind }) => kind)).toEqual(['PUBLIC_KEY_REGISTERED']);
  });

  it('demands the challenge only with a key, and is bound to addresses, with the name on record (A-39, T-15)', async () => {
    const demand = { challengeRequired: true };
    expect((await ask('require-challenge', demand)).answer).toMatchObject({ ok: false, status: 400 });
    await ask('set-public-key', { publicKey: keyPair().publicKey.export({ format: 'der', type: 'spki' }).toString('base64') });
    expect((await ask('require-challenge', demand)).answer).toMatchObject({ ok: true, value: demand });
    const wrong = await ask('bind-to-sources', { sourceAddresses: ['198.51.100.0/24', 'shop.example'] });
    expect(wrong.answer).toMatchObject({ ok: false, status: 400, message: expect.stringContaining('sourceAddresses.1') });
    for (const [operation, field] of [
      ['bind-to-sources', 'sourceAddresses'],
      ['require-challenge', 'challengeRequired'],
    ] as const)
      expect((await ask(operation, { [field]: null })).answer).toMatchObject({
        ok: false,
        status: 400,
        message: expect.stringContaining(field),
      });
    const bound = { sourceAddresses: ['198.51.100.0/24'] };
    expect((await ask('bind-to-sources', bound)).answer).toMatchObject({ ok: true, value: bound });
    expect(await use(account.apiPassword)).not.toBe('allowed');
    await ask('bind-to-sources', { sourceAddresses: [] });
    expect(await use(account.apiPassword)).toBe('allowed');
    const changes = ['PUBLIC_KEY_REGISTERED', 'CHALLENGE_RULE_CHANGED', 'SOURCES_CHANGED', 'SOURCES_CHANGED'];
    expect(await recorded()).toEqual(changes.map(kind => ({ kind, actor: `portal ${actor}` })));
  });

  it('switches to Bearer, whose sessions are seen and ended one by one, by its own people only (R-5.2-4, T-24)', async () => {
    expect((await ask('enable-bearer')).answer).toMatchObject({ ok: true, value: { mode: 'BEARER', hasPassword: false } });
    expect(await use(account.apiPassword)).not.toBe('allowed');
    const { answer } = await ask<{ apiPassword: string }>('new-password');
    if (!answer.ok) throw new Error(answer.message);
    const logIn = async () => {
      const data = { identity: account.username, password: answer.value.apiPassword };
      return (await service.client('POST', '/authentication/login', { data })).data.headerValue as string;
    };
    const [first, second] = [await logIn(), await logIn()];
    const sessions = async (over = {}) =>
      (await ask<PortalApiSession[]>('sessions', over)).answer as { value: PortalApiSession[] };
    const open = (await sessions()).value;
    expect(open.map(({ loginKind }) => loginKind)).toEqual(['PASSWORD', 'PASSWORD']);
    const stranger = await service.create({ type: 'MERCHANT', id: merchantId + 100_000 });
    expect(stranger.username).not.toBe(account.username);
    expect((await sessions({ ownerId: merchantId + 100_000 })).value).toEqual([]);
    const { sessionId } = open[0]!;
    const foreign = await ask('end-session', { ownerId: merchantId + 100_000, sessionId });
    expect(foreign.answer).toMatchObject({ ok: false, status: 404 });
    const accepted = async (token: string) => outcomeOf(await service.authorize({ authorization: [token] }));
    expect([await accepted(first), await accepted(second)]).toEqual(['allowed', 'allowed']);
    expect((await ask('end-session', { sessionId })).answer).toMatchObject({ ok: true });
    expect([await accepted(first), await accepted(second)].filter(outcome => outcome === 'allowed')).toHaveLength(1);
    expect((await sessions()).value.map(each => each.sessionId)).toEqual([open[1]!.sessionId]);
    expect((await ask('end-session', { sessionId })).answer).toMatchObject({ ok: false, status: 404 });
    expect((await recorded()).at(-1)).toEqual({ kind: 'SESSION_ENDED', actor: `portal ${actor}` });
  });

  it('is managed for the portal alone, and only accounts of merchants and PSPs are (T-27)', async () => {
    const body = { type: 'MERCHANT', ownerId: merchantId };
    for (const caller of ['notification-config', 'operator', 'api-gateway'] as const)
      expect((await service.as(caller, '/internal/portal/accounts/new-password', body)).status).toBe(403);
    expect((await ask('new-password', { type: 'MANAGER' })).status).toBe(403);
    expect((await ask('new-password', { askedBy: '' })).status).toBe(400);
    expect((await ask('new-password', { ownerId: 999_999 })).answer).toMatchObject({ ok: false, status: 404 });
    expect(await use(account.apiPassword)).toBe('allowed');
  });
});
