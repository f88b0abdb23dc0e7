import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceTokenSigner } from '@paycode/access';
import type { Merchant, MerchantReceiver } from '@paycode/platform-client';
import { eventually } from '@paycode/service-runtime/testing';
import { TOTP } from 'otpauth';
import { Client } from 'pg';
import { OutboxFolder } from './testing/outbox-folder';
import { makeMerchantWithReceiver, payNewCode, sharedPlatform } from './testing/platform';
import { makePerson, PortalClient, type PortalPerson } from './testing/portal-client';

interface Ids {
  merchantId: number;
  transactionId: number;
}

/** Each call that names something of a merchant. */
const calls: ((of: Ids) => { method?: string; path: string; body?: unknown })[] = [
  ({ merchantId }) => ({ path: `payments?merchantId=${merchantId}` }),
  ({ transactionId }) => ({ path: `payments/${transactionId}` }),
  ({ merchantId }) => ({ path: `payments/totals?merchantId=${merchantId}` }),
  ({ merchantId }) => ({ path: `payments/export?merchantId=${merchantId}` }),
  ({ merchantId }) => ({ path: `home?merchantId=${merchantId}&dayBeganAt=${new Date().toISOString()}` }),
  ({ merchantId }) => ({ path: `statements?period=2026&timeZone=UTC&merchantId=${merchantId}` }),
  ({ merchantId }) => ({ path: `statements/file?period=2026&timeZone=UTC&decimalMark=POINT&merchantId=${merchantId}` }),
  ({ merchantId }) => ({ path: `merchants/${merchantId}` }),
  ({ merchantId }) => ({ path: `merchants/${merchantId}/people` }),
  ({ merchantId }) => ({ path: `merchants/${merchantId}/notifications` }),
  ({ transactionId }) => ({ method: 'POST', path: `payments/${transactionId}/notification/show`, body: {} }),
  ({ transactionId }) => ({ method: 'POST', path: `payments/${transactionId}/notification/fetch`, body: {} }),
  ({ merchantId }) => ({
    method: 'POST',
    path: `merchants/${merchantId}/notifications/url`,
    body: { url: 'https://thief.example/', current: 'x' },
  }),
  ({ merchantId }) => ({ method: 'POST', path: `merchants/${merchantId}/notifications/url/remove`, body: { current: 'x' } }),
  ({ merchantId }) => ({ method: 'POST', path: `merchants/${merchantId}/notifications/check`, body: {} }),
  ({ merchantId }) => ({ method: 'POST', path: `merchants/${merchantId}/notifications/key`, body: { current: 'x' } }),
  ({ merchantId }) => ({ method: 'POST', path: `merchants/${merchantId}/notifications/test`, body: {} }),
  ({ merchantId }) => ({
    method: 'POST',
    path: `merchants/${merchantId}/notifications/recipients`,
    body: { type: 'EMAIL', value: 'thief@thief.example' },
  }),
  ({ merchantId }) => ({
    method: 'POST',
    path: `merchants/${merchantId}/notifications/recipients/remove`,
    body: { type: 'EMAIL', value: 'till@shop.example', current: 'x' },
  }),
];

/** Calls of people on call: over all merchants, so that nobody of any tenant may make them, for what is their own neither. */
const onCallCalls: typeof calls = [
  () => ({ path: 'on-call/stuck' }),
  ({ transactionId }) => ({ path: `on-call/transactions/${transactionId}` }),
  ({ transactionId }) => ({ method: 'POST', path: `on-call/transactions/${transactionId}/redeliver`, body: {} }),
  () => ({ path: 'on-call/merchants?search=shop' }),
  ({ merchantId }) => ({ path: `on-call/merchants/${merchantId}` }),
  ({ merchantId }) => ({
    method: 'POST',
    path: `on-call/merchants/${merchantId}/pause`,
    body: { minutes: 1, reason: 'not theirs' },
  }),
  () => ({ method: 'POST', path: 'on-call/pauses/999999/end', body: {} }),
  () => ({ path: 'on-call/dead-letters' }),
  ...['preview', 'redrive', 'request', 'confirm'].map(step => () => ({
    method: 'POST',
    path: `on-call/dead-letters/${step}`,
    body: { letters: [], typed: '', current: '' },
  })),
];

describe('the portal', () => {
  const platform = sharedPlatform();
  const marker = `marker-${randomInt(1_000_000_000)}`;
  let mine: { merchant: Merchant; receiver: MerchantReceiver };
  let ids: Ids;
  let owner: PortalPerson;

  beforeAll(async () => {
    mine = await makeMerchantWithReceiver(platform);
    const { merchant } = mine;
    const { code } = await merchant.createCode({ merchantReference: marker, amount: '10.00', currencyCode: 'ZAR' });
    ids = { merchantId: merchant.merchantId, transactionId: await merchant.pay(code) };
    owner = await makePerson(platform, { tenantId: String(ids.merchantId) });
    const client = await PortalClient.signedIn(platform, owner);
    await eventually(async () => expect((await client.send({ path: `payments/${ids.transactionId}` })).text).toContain(marker));
  });
  afterAll(() => mine?.receiver.stop());

  it('answers its owner each of these calls', async () => {
    const client = await PortalClient.signedIn(platform, owner);
    for (const call of calls.slice(0, 10)) {
      const asked = call(ids);
      expect([asked.path, (await client.send(asked)).status]).toEqual([asked.path, 200]);
    }
  });

  it.each([
    ['MERCHANT', '2001', 'OWNER'],
    ['PSP', '2', 'OWNER'],
    ['ACQUIRER', 'Another Bank', 'OWNER'],
  ])('%s %s reaches nothing of another tenant by any call (T-24)', async (tenantType, tenantId, role) => {
    const thief = await PortalClient.signedIn(platform, await makePerson(platform, { tenantType, tenantId, role }));
    for (const call of calls) {
      const asked = call(ids);
      const answer = await thief.send(asked);
      expect([asked.path, answer.status]).toEqual([asked.path, 404]);
      expect(answer.text).not.toContain(marker);
    }
    const answers = [];
    for (const call of onCallCalls) answers.push({ path: call(ids).path, ...(await thief.send(call(ids))) });
    expect(answers.map(({ path, status }) => [path, status])).toEqual(answers.map(({ path }) => [path, 403]));
    // The path of the request comes back, and nothing else of it.
    for (const { text } of answers) expect(text).not.toMatch(new RegExp(`${marker}|"merchantId"`));
    expect((await thief.send({ path: `payments/${ids.transactionId}/changes` })).status).toBe(404);
    const lists = [
      'payments',
      'payments/totals',
      'payments/export',
      `statements?period=${new Date().getUTCFullYear()}&timeZone=UTC`,
      `payments/export?search=${marker}`,
      'merchants',
      `merchants?search=${ids.merchantId}`,
      `merchants?after=${ids.merchantId}`,
      `home/receivers?dayBeganAt=${new Date(0).toISOString()}`,
      `payments?search=${marker}`,
      `payments?search=${ids.transactionId}`,
      'people',
    ];
    for (const path of lists) expect((await thief.send({ path })).text).not.toMatch(new RegExp(`${marker}|${ids.merchantId}`));
    await payNewCode(mine.merchant);
    const own = await PortalClient.signedIn(platform, owner);
    expect(JSON.parse((await own.send({ path: `merchants/${ids.merchantId}/notifications` })).text)).toMatchObject({
      http: { url: mine.receiver.url },
      recipients: [],
    });
  });

  it('lets the PSP and operators of a merchant see it, and a viewer change nothing', async () => {
    const psp = await PortalClient.signedIn(platform, await makePerson(platform, { tenantType: 'PSP', tenantId: '1' }));
    const onCall = await makePerson(platform, { tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' });
    const operator = await PortalClient.signedIn(platform, onCall);
    const viewer = await PortalClient.signedIn(
      platform,
      await makePerson(platform, { tenantId: String(ids.merchantId), role: 'VIEWER' }),
    );
    for (const client of [psp, operator, viewer])
      expect((await client.send({ path: `payments/${ids.transactionId}` })).text).toContain(marker);
    const changes = calls
      .slice(10)
      .map(call => call(ids))
      .filter(({ path }) => !path.endsWith('/check'));
    for (const path of ['password', 'public-key', 'bearer', 'bearer/request', 'bearer/confirm'])
      changes.push({ method: 'POST', path: `credentials/${path}`, body: { current: 'x', publicKey: 'AAAA' } });
    for (const client of [operator, viewer])
      for (const change of changes) expect([change.path, (await client.send(change)).status]).toEqual([change.path, 403]);
  });

  it('does nothing for a person by its key alone; auth-session reads of its database who is signed in, and nothing else (T-27)', async () => {
    const secret = (name: string) => join(process.env['PAYCODE_E2E_HOME']!, 'secrets', name);
    const signer = new ServiceTokenSigner('portal', {
      privateKeyFile: secret('token-keys/portal.pem'),
      servicePublicKeysFile: secret('token-keys/service-public-keys.json'),
    });
    const asked: [service: string, path: string, body: object][] = [
      ['auth-session', 'accounts/new-password', { type: 'MERCHANT', ownerId: ids.merchantId }],
      ['notification-config', 'notifications/add-http', { merchantId: ids.merchantId, url: 'https://thief.example/' }],
      ['webhook-dispatcher', 'notifications/show', ids],
      ['payment-simulator', 'sandbox/make-code', { merchantId: ids.merchantId, amount: '1', currencyCode: 'ZAR' }],
    ];
    for (const [service, path, body] of asked) {
      const { status } = await fetch(`${platform.standalone.internal[service]}/internal/portal/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${signer.tokenFor(service)}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect([path, status]).toEqual([path, 401]);
    }
    const reader = new Client({ connectionString: readFileSync(secret('portal-database-url-auth-session'), 'utf8').trim() });
    await reader.connect();
    const outcome = (sql: string) =>
      reader.query(sql).then(
        ({ rowCount }) => rowCount! > 0,
        ({ code }: { code: string }) => code,
      );
    expect(await outcome('select token_hash from portal_session')).toBe(true);
    for (const sql of ['select password_hash from person', 'select 1 from payment', 'update portal_session set seen_at = now()'])
      expect([sql, await outcome(sql)]).toEqual([sql, '42501']);
    await reader.end();
  });

  it('takes no call without a session, with a made-up one, or with one that was signed out (T-52)', async () => {
    const client = await PortalClient.signedIn(platform, owner);
    const stolen = client.cookie;
    expect((await client.send({ method: 'DELETE', path: 'session' })).status).toBe(204);
    const cookies = ['', stolen, `__Host-paycode=${'A'.repeat(43)}`, '__Host-paycode=', 'paycode=1'];
    for (const cookie of cookies)
      for (const call of [
        ...calls,
        ...onCallCalls,
        () => ({ path: 'credentials' }),
        () => ({ method: 'POST', path: 'credentials/password', body: {} }),
      ])
        expect([cookie, (await client.send({ ...call(ids), cookie })).status]).toEqual([cookie, 401]);
  });

  it('sets a cookie that scripts cannot read and other sites cannot send, anew at each sign-in (T-52)', async () => {
    const client = new PortalClient(platform);
    const { email, password } = owner;
    const planted = `__Host-paycode=${'B'.repeat(43)}`;
    const answer = await client.send({ method: 'POST', path: 'session', body: { email, password }, cookie: planted });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-paycode=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/),
      expect.stringMatching(/^__Host-paycode-device=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/),
    ]);
    expect(client.cookie).not.toBe(planted);
    expect(answer.text).not.toContain(client.cookie.split('=')[1]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('takes changes from its own pages only (T-52)', async () => {
    const client = await PortalClient.signedIn(platform, owner);
    const change = { method: 'POST', path: `merchants/${ids.merchantId}/notifications/key`, body: { current: owner.password } };
    const foreign = [
      { origin: 'https://evil.example', site: 'cross-site' },
      { origin: 'null', site: 'cross-site' },
      { origin: undefined, site: undefined },
      { origin: undefined, site: 'same-origin' },
      { origin: platform.standalone.baseUrl, site: 'cross-site' },
      { origin: 'https://localhost', site: 'same-site' },
      { origin: platform.standalone.baseUrl.replace('https', 'http'), site: 'same-site' },
    ];
    for (const from of foreign) expect([from, (await client.send({ ...change, ...from })).status]).toEqual([from, 403]);
    const { email, password } = owner;
    const signIn = {
      method: 'POST',
      path: 'session',
      body: { email, password },
      origin: 'https://evil.example',
      site: 'cross-site',
    };
    expect((await client.send(signIn)).status).toBe(403);
  });

  it('refuses a form that another site could send without asking (T-52)', async () => {
    const client = await PortalClient.signedIn(platform, owner);
    const answer = await client.send({ method: 'POST', path: 'session', origin: platform.standalone.baseUrl });
    expect(answer.status).toBe(400);
  });

  it('makes guessing wait, and the right password wait with it once it was guessed at (T-05)', async () => {
    const victim = await makePerson(platform, { tenantId: String(ids.merchantId) });
    const client = new PortalClient(platform);
    const guess = (password: string) => client.send({ method: 'POST', path: 'session', body: { email: victim.email, password } });
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await guess(`guess number ${tries}`)).status);
    expect(statuses.slice(0, 6)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(statuses.filter(status => status === 429).length).toBeGreaterThanOrEqual(1);
    const refused = await guess('another guess');
    expect(refused.status === 429 ? Number(refused.headers['retry-after']) : 1).toBeGreaterThanOrEqual(1);
  });

  it('with an app set up, the password alone opens nothing; a code is good once; a recovery code lets in once', async () => {
    const person = await makePerson(platform, { tenantId: String(ids.merchantId) });
    const client = await PortalClient.signedIn(platform, person);
    const { sealed, secret } = JSON.parse((await client.send({ method: 'POST', path: 'totp', body: {} })).text) as Record<
      string,
      string
    >;
    const app = new TOTP({ secret: secret! });
    const before = client.cookie;
    const confirm = (current?: string) => {
      const body = { sealed, code: app.generate(), ...(current === undefined ? {} : { current }) };
      return client.send({ method: 'POST', path: 'totp/confirm', body });
    };
    // A stolen session alone sets up nobody's app.
    expect([(await confirm()).status, (await confirm('another password')).status]).toEqual([400, 401]);
    const enrolled = await confirm(person.password);
    const { recoveryCodes } = JSON.parse(enrolled.text) as { recoveryCodes: string[] };
    expect(recoveryCodes).toHaveLength(10);
    expect((await client.send({ path: 'payments', cookie: before })).status).toBe(401);

    const half = await PortalClient.signedIn(platform, person);
    for (const call of [...calls, ...onCallCalls]) expect((await half.send(call(ids))).status).toBe(401);
    const halfCookie = half.cookie;
    // Wrong ones first: a code that was right would open the session.
    expect((await half.send({ method: 'POST', path: 'session/code', body: { code: '000000' } })).status).toBe(401);
    const code = app.generate({ timestamp: Date.now() + 30_000 });
    expect((await half.send({ method: 'POST', path: 'session/code', body: { code } })).status).toBe(200);
    expect((await half.send({ path: 'payments' })).status).toBe(200);
    expect((await half.send({ path: 'payments', cookie: halfCookie })).status).toBe(401);

    const again = await PortalClient.signedIn(platform, person);
    expect((await again.send({ method: 'POST', path: 'session/code', body: { code } })).status).toBe(401);
    const recovery = { method: 'POST', path: 'session/code', body: { code: recoveryCodes[0] } };
    expect((await again.send(recovery)).status).toBe(200);
    const once = await PortalClient.signedIn(platform, person);
    expect((await once.send(recovery)).status).toBe(401);
  });

  it('lets an invited colleague in by e-mail, once, and nobody invite into another tenant', async () => {
    const client = await PortalClient.signedIn(platform, owner);
    const email = `${marker}@colleague.example`;
    const invite = { method: 'POST', path: 'invitations', body: { email, name: 'New Colleague', role: 'VIEWER' } };
    expect((await client.send(invite)).status).toBe(201);
    const outbox = new OutboxFolder(process.env['PAYCODE_E2E_HOME']!);
    const secret = await eventually(async () => {
      const [mail] = outbox.find('email', email);
      const found = /\/console\/accept#([\w-]{43})/.exec(mail ?? '')?.[1];
      expect(found).toBeDefined();
      return found!;
    });
    const colleague = new PortalClient(platform);
    const accept = (password: string) =>
      colleague.send({ method: 'POST', path: 'invitations/accept', body: { secret, password } });
    expect((await accept('short')).status).toBe(400);
    expect((await accept('a long enough sentence')).status).toBe(204);
    expect((await accept('another long sentence')).status).toBe(410);
    const person = { ...owner, email, password: 'a long enough sentence' };
    const signedIn = await PortalClient.signedIn(platform, person);
    expect(JSON.parse((await signedIn.send({ path: 'session' })).text)).toMatchObject({
      person: { tenantType: 'MERCHANT', tenantId: String(ids.merchantId), role: 'VIEWER' },
    });
    expect((await signedIn.send({ ...invite, body: { ...invite.body, email: 'x@y.example' } })).status).toBe(403);
    const upwards = { ...invite.body, email: 'z@y.example', role: 'ADMINISTRATOR' };
    expect((await client.send({ ...invite, body: upwards })).status).toBe(400);
  });
});
