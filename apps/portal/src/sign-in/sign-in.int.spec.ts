import { randomBytes, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { FakeMails } from '../testing/fake-mails';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';

const password = 'a long enough sentence';

describe('people sign in, and are invited', () => {
  let portal: RunningPortal;
  let mails: FakeMails;
  let tenants = 1_000;
  let addresses = 0;

  beforeAll(async () => {
    mails = await FakeMails.start();
    portal = await RunningPortal.start({ RECIPIENT_MESSAGES_URL: mails.url, AUTH_SESSION_URL: mails.url });
  });
  afterAll(() => Promise.all([portal.stop(), mails.stop()]));

  const newTenant = () => String(++tenants);
  /** A browser at an address of its own. */
  const elsewhere = () => new PortalVisitor(portal, `198.51.${100 + (++addresses >> 8)}.${addresses % 256}`);
  const person = async ({ email = `${randomUUID()}@shop.example`, tenantId = newTenant(), role = 'OWNER' } = {}) => {
    const response = await fetch(`${portal.internalUrl}/internal/people`, {
      method: 'POST',
      headers: { ...portal.operatorHeaders(), 'content-type': 'application/json' },
      body: JSON.stringify({ email, name: 'Thandi', tenantType: 'MERCHANT', tenantId, role, password }),
    });
    expect(response.status).toBe(201);
    return { email, tenantId, personId: ((await response.json()) as { personId: string }).personId };
  };
  const signedIn = async (email: string, visitor = elsewhere()) => {
    expect((await visitor.post('session', { email, password })).status).toBe(200);
    return visitor;
  };
  /** Somebody whose second factor is an authenticator app, and the code of that app. */
  const withApp = async () => {
    const known = await person();
    const visitor = await signedIn(known.email);
    const { sealed, secret } = (await visitor.post('totp')).body as unknown as { sealed: string; secret: string };
    const app = new TOTP({ secret: Secret.fromBase32(secret) });
    const enrolledWith = app.generate();
    const { status, body } = await visitor.post('totp/confirm', { sealed, code: enrolledWith, current: password });
    expect(status).toBe(200);
    return { ...known, visitor, app, sealed, enrolledWith, recoveryCodes: body['recoveryCodes'] as unknown as string[] };
  };
  /** A code that is good for none of the steps of the next minutes. */
  const wrongFor = (app: TOTP) => {
    const right = [-2, -1, 0, 1, 2, 3, 4].map(step => app.generate({ timestamp: Date.now() + step * 30_000 }));
    return ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(code => !right.includes(code))!;
  };
  const laterCode = (app: TOTP) => app.generate({ timestamp: Date.now() + 30_000 });

  describe('codes of an authenticator app', () => {
    it('regression: of 30 wrong ones at once from 30 addresses ten are looked at, then the right one is refused too, and a recovery code lets in (T-05)', async () => {
      const { email, app, recoveryCodes } = await withApp();
      const visitors = await Promise.all(Array.from({ length: 30 }, () => signedIn(email)));
      const wrong = await Promise.all(visitors.map(visitor => visitor.post('session/code', { code: wrongFor(app) })));
      expect(wrong.filter(({ status }) => status === 401)).toHaveLength(10);
      const late = await (await signedIn(email)).post('session/code', { code: laterCode(app) });
      expect([late.status, late.body.message]).toEqual([429, expect.stringContaining('recovery code')]);
      const half = await signedIn(email);
      expect((await half.post('session/code', { code: recoveryCodes[0] })).status).toBe(200);
      expect((await half.post('totp/remove', { code: laterCode(app) })).status).toBe(429);
    });

    it('are allowed again by an owner of the account, with the own password, and by nobody of another account (T-05, T-24)', async () => {
      const { email, app, personId, tenantId } = await withApp();
      for (let each = 0; each < 10; each++) await (await signedIn(email)).post('session/code', { code: wrongFor(app) });
      const owner = await signedIn((await person({ tenantId })).email);
      const developer = await signedIn((await person({ tenantId, role: 'DEVELOPER' })).email);
      const stranger = await signedIn((await person()).email);
      expect((await owner.get('people')).body).toContainEqual(expect.objectContaining({ email, areCodesRefused: true }));
      const allow = (visitor: PortalVisitor, current = password) => visitor.post(`people/${personId}/allow-codes`, { current });
      expect((await allow(developer)).status).toBe(403);
      expect((await allow(stranger)).status).toBe(404);
      expect((await allow(owner, 'another sentence')).status).toBe(401);
      expect((await allow(owner)).status).toBe(204);
      expect((await owner.get('people')).body).toContainEqual(expect.objectContaining({ email, areCodesRefused: false }));
      expect((await (await signedIn(email)).post('session/code', { code: laterCode(app) })).status).toBe(200);
    });

    it('regression: the code that set up the app does not sign in once more (T-04)', async () => {
      const { email, enrolledWith } = await withApp();
      expect((await (await signedIn(email)).post('session/code', { code: enrolledWith })).status).toBe(401);
    });
  });

  it('regression: the code that removed an app does not set that app up again (T-04)', async () => {
    const { visitor, app, sealed } = await withApp();
    const code = laterCode(app);
    expect((await visitor.post('totp/remove', { code })).status).toBe(204);
    const { status, body } = await visitor.post('totp/confirm', { sealed, code, current: password });
    expect([status, body.message]).toEqual([400, expect.stringContaining('used before')]);
  });

  it('regression: behind an address from which many guesses come, the right password still signs in, and a wrong one waits (T-05)', async () => {
    const { email } = await person();
    const address = () => new PortalVisitor(portal, '192.0.2.77');
    const guess = (to: string) => address().post('session', { email: to, password: 'not the right sentence' });
    for (let each = 0; each < 51; each++) await guess(`nobody-${each}@shop.example`);
    // A long wait, so that it does not end while the test runs.
    await portal.database.dataSource.query(
      'update guess_count set failures = 70, last_failed_at = clock_timestamp() where failures > 50',
    );
    expect((await guess('nobody-52@shop.example')).status).toBe(429);
    expect((await guess((await person()).email)).status).toBe(429);
    for (let each = 0; each < 3; each++) await signedIn(email, address());
    // As many guesses at people who do not exist as one browser tab and a script can send at once.
    const flood = Array.from({ length: 60 }, (_, each) => guess(`nobody-at-all-${each}@shop.example`));
    await signedIn(email, address());
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([429]));
    const { email: guessedAt } = await person();
    const tries = [await guess(guessedAt), await address().post('session', { email: guessedAt, password })];
    expect(tries.map(({ status }) => status)).toEqual([429, 429]);
  });

  it('regression: reading keeps no session from becoming idle, a key or a pointer on a page does (T-52)', async () => {
    const { email, personId } = await person();
    const visitor = await signedIn(email);
    const age = (minutes: number) =>
      portal.database.dataSource.query(
        `update portal_session set seen_at = clock_timestamp() - $2 * interval '1 minute' where person_id = $1`,
        [personId, minutes],
      );
    const isIdle = async () => {
      const [row] = await portal.database.dataSource.query<{ idle: boolean }[]>(
        `select seen_at < clock_timestamp() - interval '58 minutes' as idle from portal_session where person_id = $1`,
        [personId],
      );
      return row!.idle;
    };
    await age(59);
    for (const path of ['session', 'people', 'payments']) expect((await visitor.get(path)).status).toBe(200);
    expect(await isIdle()).toBe(true);
    expect((await visitor.post('session/seen')).status).toBe(204);
    expect(await isIdle()).toBe(false);
    await age(61);
    expect((await visitor.get('people')).status).toBe(401);
  });

  describe('invitations', () => {
    const invite = (visitor: PortalVisitor, email: string) => visitor.post('invitations', { email, name: 'New', role: 'VIEWER' });
    const secretsFor = async (email: string) => (await mails.mailedTo(email, portal.database)).map(({ secret }) => secret);
    const accept = (secret: string, chosen = password) => elsewhere().post('invitations/accept', { secret, password: chosen });

    it('regression: a newer one ends the older, and a used one every other (T-04)', async () => {
      const owner = await signedIn((await person()).email);
      const email = `${randomUUID()}@shop.example`;
      for (let each = 0; each < 2; each++) expect((await invite(owner, email)).status).toBe(201);
      const [older, newer] = await secretsFor(email);
      expect((await accept(older!)).status).toBe(410);
      expect((await accept(newer!)).status).toBe(204);
      expect((await accept(newer!, 'another long sentence')).status).toBe(410);
      await signedIn(email);
    });

    it('regression: two accounts may invite one address and cannot tell; its reader joins one of them (T-24)', async () => {
      const [one, two] = [await signedIn((await person()).email), await signedIn((await person()).email)];
      const email = `${randomUUID()}@shop.example`;
      const shapeOf = ({ status, body }: Awaited<ReturnType<typeof invite>>) => [
        status,
        Object.keys(body).sort(),
        body['hasTotp'],
      ];
      const first = await invite(one, email);
      expect(shapeOf(await invite(two, email))).toEqual(shapeOf(first));
      const [ofOne, ofTwo] = await secretsFor(email);
      expect((await accept(ofOne!)).status).toBe(204);
      const second = await accept(ofTwo!);
      expect([second.status, second.body.message]).toEqual([409, expect.stringContaining('another account')]);
      expect(shapeOf(await invite(two, email))).toEqual(shapeOf(first));
      const me = (await (await signedIn(email)).get('session')).body as unknown as { person: { tenantId: string } };
      expect(me.person.tenantId).toBe((first.body as unknown as { tenantId: string }).tenantId);
    });

    it('regression: the sixth of an hour is refused, and none carries a word of whoever invites (T-25)', async () => {
      const owner = await signedIn((await person()).email);
      const name = 'Your account is blocked';
      const email = `${randomUUID()}@elsewhere.example`;
      const statuses = [];
      for (let each = 0; each < 6; each++)
        statuses.push((await owner.post('invitations', { email, name, role: 'VIEWER' })).status);
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
      const told = (await mails.mailedTo(email, portal.database)).map(({ secret: _, ...rest }) => rest);
      expect(told).toEqual(Array.from({ length: 5 }, () => ({ reason: 'INVITED' })));
    });

    it('regression: made-up secrets behind an address do not refuse a good one there (T-04, T-05)', async () => {
      const owner = await signedIn((await person()).email);
      const email = `${randomUUID()}@shop.example`;
      expect((await invite(owner, email)).status).toBe(201);
      const there = () => new PortalVisitor(portal, '192.0.2.78');
      const answers = [];
      for (let each = 0; each < 60; each++) {
        const secret = randomBytes(32).toString('base64url');
        answers.push((await there().post('invitations/accept', { secret, password })).status);
      }
      expect(new Set(answers)).toEqual(new Set([410, 429]));
      const [secret] = await secretsFor(email);
      expect((await there().post('invitations/accept', { secret, password })).status).toBe(204);
    });

    it('regression: a person who was invited and then got a password from an operator is in from that moment (T-56)', async () => {
      const owner = await person();
      const email = `${randomUUID()}@shop.example`;
      expect((await invite(await signedIn(owner.email), email)).status).toBe(201);
      await person({ email, tenantId: owner.tenantId, role: 'VIEWER' });
      const rows = await portal.database.dataSource.query<{ is_in: boolean }[]>(
        'select accepted_at is not null as is_in from person where email = $1',
        [email],
      );
      expect(rows).toEqual([{ is_in: true }]);
    });

    it.each<[string, boolean]>([
      ['Thandi', true],
      ["Siobhán O'Neill-Ó Briain", true],
      ['J.R.R. Tolkien, Jr.', true],
      ['محمد بن علي', true],
      ['நந்தினி', true],
      ['Till 12 (front)', true],
      ['12 34', false],
      ['Your account is blocked: call us', false],
      ['Go to evil.example', false],
      ['Go to t.co', false],
      ['Go to https//x', false],
      ['Call 0800 123 456', false],
      ['a@b.example', false],
    ])('regression: the name %j of a person is taken: %s (T-25)', async (name, isTaken) => {
      const { email } = await person();
      const response = await (
        await signedIn(email)
      ).post('invitations', {
        email: `${randomUUID()}@shop.example`,
        name,
        role: 'VIEWER',
      });
      expect(response.status).toBe(isTaken ? 201 : 400);
      if (!isTaken) expect(response.body.message).toContain('name must be the name of a person');
    });
  });
});
