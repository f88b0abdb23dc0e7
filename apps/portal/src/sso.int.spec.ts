import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Forgery, FakeProvider, strangersKey } from './testing/fake-provider';
import { PortalVisitor } from './testing/portal-visitor';
import { manyGuesses, RunningPortal } from './testing/running-portal';
import { eventually } from '@paycode/service-runtime/testing';

describe('single sign-on of people', () => {
  let portal: RunningPortal;
  let provider: FakeProvider;
  let company: string;
  let tenantId: string;

  beforeAll(async () => {
    [portal, provider] = [await RunningPortal.start({}, manyGuesses), await FakeProvider.start()];
  });
  afterAll(() => Promise.all([portal.stop(), provider.stop()]));

  const operator = async (method: string, path: string, body?: unknown) => {
    const headers = { ...portal.operatorHeaders(), ...(body ? { 'content-type': 'application/json' } : {}) };
    const response = await fetch(`${portal.internalUrl}/internal/${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, text: await response.text() };
  };
  const setProvider = (over: object = {}) =>
    operator('PUT', `identity-providers/${company}`, {
      tenantType: 'MERCHANT',
      tenantId,
      issuer: provider.url,
      clientId: 'portal',
      clientSecret: 'secret-of-the-client',
      ...over,
    });
  /** Somebody invited who has no password yet. */
  const invited = async (over: object = {}) => {
    const of = { email: `${randomUUID()}@acme.example`, tenantType: 'MERCHANT', tenantId, role: 'VIEWER', ...over };
    await portal.database.dataSource.query(
      `insert into person (email, name, tenant_type, tenant_id, role) values ($1, 'Sipho', $2, $3, $4)`,
      [of.email, of.tenantType, of.tenantId, of.role],
    );
    return of.email;
  };
  const begun = async (visitor = new PortalVisitor(portal)) => {
    const { status, body } = await visitor.post('session/sso/begin', { company });
    expect(status).toBe(200);
    return { visitor, url: String(body['url']) };
  };
  const signIn = async (
    email: string,
    {
      forged = {} as Forgery,
      subject = `sub-${email}`,
      isVerified = true as unknown,
      from = undefined as PortalVisitor | undefined,
    } = {},
  ) => {
    const { visitor, url } = await begun(from);
    const person = { sub: subject, email, email_verified: isVerified };
    const heard = await visitor.post('session/sso', { company, answer: provider.signsIn(url, person, forged) });
    return { heard, visitor, stage: (await visitor.get('session')).body['stage'] };
  };

  beforeEach(async () => {
    company = `acme-${randomBytes(4).toString('hex')}`;
    tenantId = String(1_000_000 + randomBytes(4).readUInt32BE());
    expect((await setProvider()).status).toBe(204);
  });

  it('lets in whoever was invited, by a verified address, and from then on by the subject, on record (A-94, T-55)', async () => {
    const email = await invited();
    expect(await signIn(email.toUpperCase(), { subject: 's1' })).toMatchObject({ heard: { status: 204 }, stage: 'FULL' });
    expect(await signIn('married@acme.example', { subject: 's1' })).toMatchObject({ heard: { status: 204 }, stage: 'FULL' });
    const rows = await portal.database.dataSource.query<{ action: string }[]>(
      `select action from audit_event where detail->>'company' = $1 order by audit_event_id`,
      [company],
    );
    expect(rows.map(({ action }) => action)).toEqual(['IDENTITY_PROVIDER_SET', 'IDENTITY_LINKED']);
  });

  it('a sign-in of the last five minutes stands in for the password that its person does not have, and brings no passkey (T-52, T-55)', async () => {
    const email = await invited({ role: 'OWNER' });
    const { visitor } = await signIn(email);
    const { status, body } = await visitor.post('session/proof');
    expect(status).toBe(200);
    const current = String(body['current']);
    const remove = () => visitor.post('passkeys/remove', { passkeyId: randomUUID(), current });
    expect((await remove()).status).toBe(404);
    expect((await remove()).status).toBe(400);
    const fresh = String((await visitor.post('session/proof')).body['current']);
    expect((await visitor.post('passkeys/options', { current: fresh })).status).toBe(409);
    expect((await visitor.post('password', { current: fresh, next: 'a password of my own' })).status).toBe(401);
    await portal.database.dataSource.query(
      `update portal_session s set created_at = clock_timestamp() - interval '301 seconds' from person p where p.person_id = s.person_id and p.email = $1`,
      [email],
    );
    expect((await visitor.post('session/proof')).status).toBe(403);
  });

  it('asks for the address where the token does not name it', async () => {
    const email = await invited();
    const claims = { email: undefined, email_verified: undefined };
    expect((await signIn(email, { forged: { claims } })).stage).toBe('FULL');
  });

  it.each<[string, () => Forgery]>([
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['for another client', () => ({ claims: { aud: 'another-client' } })],
    ['for another client as well, and made for that one', () => ({ claims: { aud: ['portal', 'x'], azp: 'x' } })],
    ['of another sign-in (nonce)', () => ({ claims: { nonce: 'another' } })],
    ['that has run out', () => ({ claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } })],
    ['signed by a stranger', () => ({ key: strangersKey })],
    ['that came with another state', () => ({ answer: { state: 'another' } })],
    ['that came in the name of another issuer', () => ({ answer: { iss: 'https://evil.example' } })],
    ['of a code that is not theirs', () => ({ answer: { code: 'made-up' } })],
  ])('a token %s opens nothing (T-55)', async (_, forged) => {
    const email = await invited();
    expect(await signIn(email, { forged: forged() })).toMatchObject({ heard: { status: 401 }, stage: 'NONE' });
  });

  it('regression: wrong answers of one browser refuse no colleague behind its address (T-05, T-55)', async () => {
    const email = await invited();
    const from = () => new PortalVisitor(portal, '192.0.2.91');
    for (let each = 0; each < 102; each++) {
      const { heard } = await signIn(email, { from: from(), forged: { answer: { code: 'made-up' } } });
      expect(heard.status).toBe(401);
    }
    expect((await signIn(email, { from: from() })).stage).toBe('FULL');
  });

  it.each([[false], [undefined], ['true']])('an address with email_verified %s is nobody’s (T-55)', async isVerified => {
    expect(await signIn(await invited(), { isVerified: isVerified ?? null })).toMatchObject({
      heard: { status: 403 },
      stage: 'NONE',
    });
  });

  it('makes no account: who was not invited, and people of other tenants, get one answer (T-24, T-55)', async () => {
    const strangers = [
      'nobody@acme.example',
      await invited({ tenantId: '77' }),
      await invited({ tenantType: 'PSP', tenantId }),
      await invited({ tenantType: 'OPERATOR', tenantId: '', role: 'ADMINISTRATOR' }),
    ];
    const answers = await Promise.all(strangers.map(async email => (await signIn(email)).heard));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, answers[0]!.body.code]));
    expect(answers[0]!.body.message).toContain('nobody has invited you');
  });

  it('an address that was given to somebody else signs nobody in as the one who had it (T-55)', async () => {
    const email = await invited();
    expect((await signIn(email, { subject: 'first' })).stage).toBe('FULL');
    expect(await signIn(email, { subject: 'second' })).toMatchObject({ heard: { status: 403 }, stage: 'NONE' });
  });

  it('an answer is good in the browser that asked, once (T-55)', async () => {
    const email = await invited();
    const { visitor, url } = await begun();
    const answer = provider.signsIn(url, { sub: email, email, email_verified: true });
    expect((await new PortalVisitor(portal).post('session/sso', { company, answer })).status).toBe(400);
    const other = await begun();
    expect((await other.visitor.post('session/sso', { company, answer })).status).toBe(401);
    expect((await visitor.post('session/sso', { company, answer })).status).toBe(204);
    expect((await visitor.post('session/sso', { company, answer })).status).toBe(400);
  });

  it('regression: the answer of one company does not finish the sign-in at another, and each has a redirect URI of its own (T-55)', async () => {
    const email = await invited();
    const { visitor, url } = await begun();
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`https://pay.example/console/sso/${company}`);
    const answer = provider.signsIn(url, { sub: email, email, email_verified: true });
    expect((await visitor.post('session/sso', { answer })).status).toBe(400);
    const other = await visitor.post('session/sso', { company: 'another-company', answer });
    expect([other.status, other.body.message]).toEqual([401, expect.stringContaining('another company answered')]);
    expect((await visitor.get('session')).body['stage']).toBe('NONE');
  });

  it('says so when the provider is away, or there is no such company', async () => {
    const visitor = new PortalVisitor(portal);
    expect((await visitor.post('session/sso/begin', { company: 'nobody-here' })).status).toBe(404);
    expect((await visitor.post('session/sso/begin', { company: '../x' })).status).toBe(400);
    provider.isAway = true;
    const { status, body } = await visitor.post('session/sso/begin', { company });
    provider.isAway = false;
    expect([status, body.message]).toEqual([502, expect.stringContaining('use your password')]);
  });

  it('regression: a slow provider is asked once for all who begin, and 8 sign-ins at a time wait for it (T-04)', async () => {
    let asked = 0;
    const held: (() => void)[] = [];
    const hold = (response: ServerResponse, body: string) => {
      asked++;
      held.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    };
    provider.ways.set('/.well-known/openid-configuration', hold);
    const beginning = Array.from({ length: 20 }, () => new PortalVisitor(portal).post('session/sso/begin', { company }));
    await eventually(() => expect(held).toHaveLength(1));
    held.splice(0).forEach(answer => answer());
    expect((await Promise.all(beginning)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    provider.ways.clear();
    const visitors = await Promise.all(Array.from({ length: 9 }, () => begun()));
    expect(asked).toBe(1);
    provider.ways.set('/.well-known/openid-configuration', hold);
    const finishing = visitors.map(({ visitor, url }) => {
      const answer = provider.signsIn(url, { sub: 'nobody', email: 'nobody@acme.example', email_verified: true });
      return visitor.post('session/sso', { company, answer });
    });
    expect((await Promise.race(finishing)).status).toBe(503);
    await eventually(() => expect(held).toHaveLength(8));
    held.splice(0).forEach(answer => answer());
    const statuses = (await Promise.all(finishing)).map(({ status }) => status);
    expect(statuses.filter(status => status === 403)).toHaveLength(8);
    provider.ways.clear();
  });

  describe('a provider is believed what it signs, and nothing else of what it answers', () => {
    afterEach(() => {
      provider.ways.clear();
      provider.named = {};
    });
    const elsewhere = 'http://169.254.169.254/';
    // The right answer each time: it is its way that is refused.
    const flood = (response: ServerResponse, body: string) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(300_000) + body);
    const moved = (path: string) => (response: ServerResponse) => response.writeHead(307, { location: `/moved${path}` }).end();

    const begunPlainly = () => {
      provider.ways.clear();
      return begun();
    };

    it.each([
      ['a configuration', '/.well-known/openid-configuration'],
      ['keys', '/jwks'],
      ['a token', '/token'],
    ])('%s without end, or elsewhere, opens nothing (A-101, T-55)', async (_, path) => {
      const email = await invited();
      const { visitor, url } = await begun();
      const back = provider.signsIn(url, { sub: email, email, email_verified: true });
      provider.ways.set(path, flood);
      expect([401, 502]).toContain((await visitor.post('session/sso', { company, answer: back })).status);
      const again = await begunPlainly();
      provider.ways.set(path, moved(path));
      const answer = provider.signsIn(again.url, { sub: email, email, email_verified: true });
      expect([401, 502]).toContain((await again.visitor.post('session/sso', { company, answer })).status);
      expect((await again.visitor.get('session')).body['stage']).toBe('NONE');
    });

    it.each(['token_endpoint', 'jwks_uri'])('a %s without TLS is not asked (A-101, T-55)', async endpoint => {
      const email = await invited();
      const { visitor, url } = await begun();
      const back = provider.signsIn(url, { sub: email, email, email_verified: true });
      const spy = jest.spyOn(globalThis, 'fetch');
      provider.named = { [endpoint]: `${elsewhere}latest/` };
      const { status } = await visitor.post('session/sso', { company, answer: back });
      const asked = JSON.stringify(spy.mock.calls.map(([to]) => to));
      spy.mockRestore();
      expect(status).toBe(502);
      expect(asked).toContain('/.well-known/openid-configuration');
      expect(asked).not.toContain('169.254');
    });
  });

  it('operators set, see and remove providers; secrets are shown to nobody', async () => {
    const { text } = await operator('GET', 'identity-providers');
    expect(text).toContain(company);
    expect(text).not.toContain('secret');
    const [row] = await portal.database.dataSource.query<{ sealed: string }[]>(
      'select client_secret_sealed as sealed from identity_provider where company = $1',
      [company],
    );
    expect(row!.sealed).not.toContain('secret-of-the-client');
    for (const issuer of ['http://acme.example', 'https://u:p@acme.example', 'https://acme.example/?x=1', 'acme'])
      expect((await setProvider({ issuer })).status).toBe(400);
    expect((await setProvider({ tenantType: 'OPERATOR' })).status).toBe(400);
    expect((await setProvider({ tenantId: '88' })).status).toBe(409);
    expect((await operator('DELETE', `identity-providers/${company}`)).status).toBe(204);
    expect((await operator('DELETE', `identity-providers/${company}`)).status).toBe(404);
  });
});
