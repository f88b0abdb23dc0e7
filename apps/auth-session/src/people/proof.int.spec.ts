import { createHash, randomBytes } from 'node:crypto';
import type { PersonProof, PortalAnswer } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import jsonwebtoken from 'jsonwebtoken';
import { TestAuthSession } from '../testing/test-service';

/** The columns that the portal lets auth-session read; the portal's migrations make these tables. */
const tables = `
  create table person (person_id uuid primary key default gen_random_uuid(), email text, name text,
    tenant_type text, tenant_id text, role text, accepted_at timestamptz default now(), language text, time_zone text);
  create table portal_session (session_id uuid primary key default gen_random_uuid(), token_hash bytea, person_id uuid, stage text,
    seen_at timestamptz default now(), expires_at timestamptz default now() + interval '1 hour', ended_at timestamptz);
  create table invitation (invitation_id uuid primary key default gen_random_uuid(), token_hash bytea, person_id uuid,
    expires_at timestamptz default now() + interval '1 hour', used_at timestamptz);
  create table alert_mail (alert_id uuid primary key default gen_random_uuid(), token_hash bytea, person_id uuid, created_at timestamptz default now())`;

/** proves: T-27 */
describe('who is signed in to the portal', () => {
  let portal: TestDatabase;
  let service: TestAuthSession;
  let personId: string;
  beforeAll(async () => {
    portal = await createTestDatabase();
    await portal.dataSource.query(tables);
    service = await TestAuthSession.start({ PORTAL_DATABASE_URL: portal.url });
  });
  afterAll(async () => {
    await service.stop();
    await portal.drop();
  });
  beforeEach(async () => {
    const [row] = await portal.dataSource.query<[{ person_id: string }]>(
      `insert into person (email, name, tenant_type, tenant_id, role)
       values ('thandi@shop.example', 'Thandi', 'MERCHANT', '1001', 'DEVELOPER') returning person_id`,
    );
    personId = row.person_id;
  });

  const opened = async (stage = 'FULL') => {
    const secret = randomBytes(32).toString('base64url');
    const values = [createHash('sha256').update(secret).digest(), personId, stage];
    await portal.dataSource.query('insert into portal_session (token_hash, person_id, stage) values ($1, $2, $3)', values);
    return secret;
  };
  const ask = async (secret: string, caller: 'portal' | 'api-gateway' | 'operator' = 'portal') => {
    const { status, data } = await service.as(caller, '/internal/console/proof', { secret });
    return { status, answer: data as PortalAnswer<PersonProof> };
  };
  const refused = { ok: false, status: 401, reason: 'NOT_SIGNED_IN' };

  it('is asserted for two minutes, to the portal, with tenant, role and name', async () => {
    const { answer } = await ask(await opened());
    if (!answer.ok) throw new Error(answer.message);
    const { header, payload } = jsonwebtoken.decode(answer.value.assertion, { complete: true })!;
    expect(header.typ).toBe('paycode-person+jwt');
    const { iat, exp, ...claims } = payload as jsonwebtoken.JwtPayload;
    expect(exp! - iat!).toBe(120);
    expect(claims).toMatchObject({ iss: 'auth-session', aud: 'portal', sub: personId, actor: 'Thandi <thandi@shop.example>' });
    expect(claims).toMatchObject({ tenantType: 'MERCHANT', tenantId: '1001', role: 'DEVELOPER' });
  });

  it.each([
    ['has ended', 'update portal_session set ended_at = now()'],
    ['is over', `update portal_session set expires_at = now() - interval '1 second'`],
    ['was silent for too long', `update portal_session set seen_at = now() - interval '61 minutes'`],
    ['waits for the second factor', `update portal_session set stage = 'CODE_DUE'`],
    ['belongs to somebody who was removed', 'delete from person'],
  ])('is not asserted by a session that %s', async (_, change) => {
    const secret = await opened();
    expect((await ask(secret)).answer).toMatchObject({ ok: true });
    await portal.dataSource.query(change);
    expect((await ask(secret)).answer).toMatchObject(refused);
  });

  it('is not asserted without the secret of a session, nor to anybody but the portal', async () => {
    const secret = await opened();
    expect((await ask(randomBytes(32).toString('base64url'))).answer).toMatchObject(refused);
    expect((await ask('short')).status).toBe(400);
    for (const caller of ['api-gateway', 'operator'] as const) expect((await ask(secret, caller)).status).toBe(403);
  });

  describe('an invitation', () => {
    const invite = async () => {
      const secret = randomBytes(32).toString('base64url');
      const values = [createHash('sha256').update(secret).digest(), personId];
      await portal.dataSource.query('insert into invitation (token_hash, person_id) values ($1, $2)', values);
      return secret;
    };
    const askInvited = async (secret: string, caller: 'portal' | 'recipient-messages' = 'portal') => {
      const { status, data } = await service.as(caller, '/internal/console/invitation', { secret });
      return { status, answer: data as PortalAnswer<PersonProof> };
    };

    it('is asserted with the address to mail and its language, by its secret, and not as a session', async () => {
      await portal.dataSource.query(`update person set language = 'es', time_zone = 'Europe/Madrid'`);
      const secret = await invite();
      const { answer } = await askInvited(secret);
      if (!answer.ok) throw new Error(answer.message);
      const { header, payload } = jsonwebtoken.decode(answer.value.assertion, { complete: true })!;
      expect(header.typ).toBe('paycode-invitation+jwt');
      const { iat, exp, ...claims } = payload as jsonwebtoken.JwtPayload;
      expect(exp! - iat!).toBe(120);
      expect(claims).toMatchObject({ iss: 'auth-session', aud: 'portal', secret, email: 'thandi@shop.example' });
      expect(claims).toMatchObject({ tenantType: 'MERCHANT', tenantId: '1001', expiresAt: expect.stringMatching(/Z$/) });
      expect(claims).toMatchObject({ language: 'es', timeZone: 'Europe/Madrid' });
      expect((await ask(secret)).answer).toMatchObject(refused);
      expect((await askInvited(await opened())).answer).toMatchObject({ ok: false, reason: 'NOT_INVITED' });
      expect((await askInvited(secret, 'recipient-messages')).status).toBe(403);
    });

    it.each([
      ['was used', 'update invitation set used_at = now()'],
      ['has expired', `update invitation set expires_at = now() - interval '1 second'`],
      ['belongs to somebody who was removed', 'delete from person'],
    ])('that %s is asserted no more', async (_, change) => {
      const secret = await invite();
      expect((await askInvited(secret)).answer).toMatchObject({ ok: true });
      await portal.dataSource.query(change);
      expect((await askInvited(secret)).answer).toMatchObject({ ok: false, status: 409, reason: 'NOT_INVITED' });
    });
  });

  describe('an alert', () => {
    const alert = async () => {
      const secret = randomBytes(32).toString('base64url');
      const values = [createHash('sha256').update(secret).digest(), personId];
      await portal.dataSource.query('insert into alert_mail (token_hash, person_id) values ($1, $2)', values);
      return secret;
    };
    const askAlerted = async (secret: string, caller: 'portal' | 'recipient-messages' = 'portal') => {
      const { status, data } = await service.as(caller, '/internal/console/alert', { secret });
      return { status, answer: data as PortalAnswer<PersonProof> };
    };

    it('is asserted with the address to mail, by its secret, and is neither an invitation nor a session', async () => {
      const secret = await alert();
      const { answer } = await askAlerted(secret);
      if (!answer.ok) throw new Error(answer.message);
      const { header, payload } = jsonwebtoken.decode(answer.value.assertion, { complete: true })!;
      expect([header.typ, payload]).toMatchObject(['paycode-alert+jwt', { aud: 'portal', secret, email: 'thandi@shop.example' }]);
      expect((await ask(secret)).answer).toMatchObject(refused);
      const { data } = await service.as('portal', '/internal/console/invitation', { secret });
      expect(data).toMatchObject({ ok: false, reason: 'NOT_INVITED' });
      expect((await askAlerted(secret, 'recipient-messages')).status).toBe(403);
    });

    it.each([
      ['is older than a day', `update alert_mail set created_at = now() - interval '25 hours'`],
      ['belongs to somebody who is not in', 'update person set accepted_at = null'],
      ['belongs to somebody who was removed', 'delete from person'],
    ])('that %s is asserted no more', async (_, change) => {
      const secret = await alert();
      expect((await askAlerted(secret)).answer).toMatchObject({ ok: true });
      await portal.dataSource.query(change);
      expect((await askAlerted(secret)).answer).toMatchObject({ ok: false, status: 409, reason: 'NOT_ALERTED' });
    });
  });

  it('owners who are in, of the merchant and of its PSP, are named to notification-config alone (T-15)', async () => {
    const people = [
      ...[
        ['b', 'MERCHANT', '7', 'OWNER'],
        ['a', 'PSP', '3', 'OWNER'],
        ['a', 'MERCHANT', '7', 'OWNER'],
      ],
      ...[
        ['c', 'MERCHANT', '7', 'DEVELOPER'],
        ['d', 'MERCHANT', '3', 'OWNER'],
        ['e', 'ACQUIRER', '7', 'OWNER'],
      ],
    ];
    const sql = 'insert into person (email, tenant_type, tenant_id, role) values ($1, $2, $3, $4)';
    for (const person of people) await portal.dataSource.query(sql, person);
    await portal.dataSource.query(`insert into person values (default, 'f', 'F', 'MERCHANT', '7', 'OWNER', null)`);
    await portal.dataSource.query(`update person set language = 'ar', time_zone = 'Asia/Riyadh' where email = 'b'`);
    const tenants = [
      { merchantId: 9, pspId: 9 },
      { merchantId: 7, pspId: 3 },
      { merchantId: 7, pspId: null },
    ];
    const named = [
      { email: 'a', language: null, timeZone: null },
      { email: 'b', language: 'ar', timeZone: 'Asia/Riyadh' },
    ];
    const owners = (caller: 'notification-config' | 'portal') => service.as(caller, '/internal/console/owners', { tenants });
    expect(await owners('notification-config')).toMatchObject({ status: 200, data: [[], named, named] });
    expect((await owners('portal')).status).toBe(403);
  });

  it('is not said, and the call may be repeated, while the database of the portal cannot be read or its URL is not set', async () => {
    const secret = await opened();
    const late = await TestAuthSession.start({ PORTAL_DATABASE_URL: `${portal.url}&options=-c%20role%3Dnobody` });
    const without = await TestAuthSession.start();
    const statuses = [late, without].map(each => each.as('portal', '/internal/console/proof', { secret }));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([503, 503]);
    await Promise.all([late.stop(), without.stop()]);
  });
});
