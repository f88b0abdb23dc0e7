import { createHash, randomBytes } from 'node:crypto';
import type { PersonProof, PortalAnswer } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import jsonwebtoken from 'jsonwebtoken';
import { TestAuthSession } from '../testing/test-service';

/** The columns that the portal lets auth-session read; the portal's migrations make these tables. */
const tables = `
  create table person (person_id uuid primary key default gen_random_uuid(), email text, name text,
    tenant_type text, tenant_id text, role text);
  create table portal_session (session_id uuid primary key default gen_random_uuid(), token_hash bytea, person_id uuid, stage text,
    seen_at timestamptz default now(), expires_at timestamptz default now() + interval '1 hour', ended_at timestamptz)`;

/** proves: T-27 */
describe('who is signed in to the portal', () => {
  let portal: TestDatabase;
  let service: TestAuthSession;
  let personId: string;
  beforeAll(async () => {
    portal = await createTestDatabase();
    await portal.dataSource.query(tables);
    service = await TestAuthSession.start({ PORTAL_DATABASE_URL: portal.url, BROWSER_SESSION_IDLE_S: '60' });
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
    ['was silent for too long', `update portal_session set seen_at = now() - interval '61 seconds'`],
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

  it('is not said, and the call may be repeated, while the database of the portal cannot be read or its URL is not set', async () => {
    const secret = await opened();
    const late = await TestAuthSession.start({ PORTAL_DATABASE_URL: `${portal.url}&options=-c%20role%3Dnobody` });
    const without = await TestAuthSession.start();
    const statuses = [late, without].map(each => each.as('portal', '/internal/console/proof', { secret }));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([503, 503]);
    await Promise.all([late.stop(), without.stop()]);
  });
});
