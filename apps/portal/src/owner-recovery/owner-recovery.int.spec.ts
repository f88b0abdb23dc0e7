import { randomInt, randomUUID } from 'node:crypto';
import { FakeMails } from '../testing/fake-mails';
import type { Heard } from '../testing/portal-visitor';
import { dayMs, type ProductionPerson, productionPerson } from '../testing/production-person';
import { RunningPortal } from '../testing/running-portal';
import type { RecoveryReport } from './domain/recovery';

const hourMs = 3_600_000;

describe('two operators let a new owner into an account whose owners are gone (proves: T-56)', () => {
  let portal: RunningPortal;
  let mails: FakeMails;
  let tenantId: string;
  let owner: ProductionPerson;
  let email: string;

  beforeAll(async () => {
    mails = await FakeMails.start();
    const settings = {
      PAYCODE_ENVIRONMENT: 'production',
      AUTH_SESSION_URL: mails.url,
      RECIPIENT_MESSAGES_URL: mails.url,
    };
    portal = await RunningPortal.start(settings, { perAddress: 1_000 });
  });
  afterAll(() => Promise.all([portal.stop(), mails.stop()]));
  beforeEach(async () => {
    mails.isAway = false;
    tenantId = String(randomInt(1_000_000, 2 ** 47));
    email = `${randomUUID()}@shop.example`;
    owner = await member('Thandi');
  });

  const member = (name: string, { role = 'OWNER', tenant = tenantId } = {}) =>
    productionPerson(portal, name, { tenantType: 'MERCHANT', tenantId: tenant, role });
  const query = <T>(text: string, values: unknown[]) => portal.database.dataSource.query<T[]>(text, values);
  async function operator(subject: string, path: string, body: object = {}) {
    const response = await fetch(`${portal.internalUrl}/internal/${path}`, {
      method: 'POST',
      headers: { ...portal.operatorHeaders(subject), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as RecoveryReport & { code?: string; message?: string } };
  }
  const wanted = (over: object = {}) => ({
    tenantType: 'MERCHANT',
    tenantId,
    email,
    name: 'Nandi',
    reason: 'ticket 12',
    ...over,
  });
  const ask = (over: object = {}) => operator('alice', 'owner-recoveries', wanted(over));
  const asked = async () => {
    const { status, body } = await ask();
    expect(status).toBe(201);
    return body.recoveryId;
  };
  const confirm = (recoveryId: string, by = 'bob') => operator(by, `owner-recoveries/${recoveryId}/confirm`);
  const refuse = ({ visitor }: ProductionPerson, recoveryId: string) => visitor.post(`owner-recovery/${recoveryId}/refuse`);
  const pass = (recoveryId: string, ms: number) =>
    query(`update owner_recovery set asked_at = asked_at - $2 * interval '1 millisecond' where recovery_id = $1`, [
      recoveryId,
      ms,
    ]);
  const says = ({ status, body }: Heard | Awaited<ReturnType<typeof confirm>>) => [status, body.message];
  const refusal = (status: number, text: string) => [status, expect.stringContaining(text)];
  const people = async () => {
    const sql = `select name, role, accepted_at is not null as "isIn" from person where tenant_id = $1 order by created_at`;
    return query(sql, [tenantId]);
  };
  const record = async ({ visitor } = owner) =>
    ((await visitor.get('actions')).body as unknown as { action: string; personName: string; detail: object }[]).filter(
      ({ action }) => action !== 'SIGNED_IN' && !action.startsWith('PASSKEY'),
    );

  it('one asks, the owners have three days, another confirms; the invitation goes to the named address, and all is in the owners’ record', async () => {
    const recoveryId = await asked();
    const mailed = await query<{ email: string }>('select email from person where person_id = $1', [owner.personId]);
    expect(await mails.mailedTo(mailed[0]!.email, portal.database)).toMatchObject([{ reason: 'OWNER_RECOVERY' }]);
    expect((await owner.visitor.get('owner-recovery')).body).toMatchObject({ recovery: { email, reason: 'ticket 12' } });
    await pass(recoveryId, 3 * dayMs - hourMs);
    expect(says(await confirm(recoveryId))).toEqual(refusal(409, 'three days'));
    await pass(recoveryId, hourMs);
    expect(says(await confirm(recoveryId, 'alice'))).toEqual(refusal(403, 'another operator'));
    expect(await people()).toHaveLength(1);
    const both = await Promise.all([confirm(recoveryId), confirm(recoveryId, 'carol')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await mails.mailedTo(email, portal.database)).toMatchObject([{ reason: 'INVITED' }]);
    expect(await people()).toMatchObject([{ name: 'Thandi' }, { name: 'Nandi', role: 'OWNER', isIn: false }]);
    const steps = await record();
    expect(steps.map(({ action }) => action)).toEqual(['PERSON_INVITED', 'OWNER_RECOVERY_CONFIRMED', 'OWNER_RECOVERY_ASKED']);
    expect(steps[1]).toMatchObject({ personName: expect.stringMatching(/^operator (bob|carol)$/) as string });
    expect(steps[2]).toMatchObject({ personName: 'operator alice', detail: { name: 'Nandi', reason: 'ticket 12' } });
    expect((await owner.visitor.get('owner-recovery')).body).toEqual({ recovery: null });
  });

  it('an owner refuses it, and nobody confirms it then; people of other accounts and other roles see and end nothing', async () => {
    const recoveryId = await asked();
    const developer = await member('Dev', { role: 'DEVELOPER' });
    const stranger = await member('Stranger', { tenant: String(Number(tenantId) + 1) });
    expect((await refuse(developer, recoveryId)).status).toBe(403);
    expect((await refuse(stranger, recoveryId)).status).toBe(404);
    expect((await stranger.visitor.get('owner-recovery')).body).toEqual({ recovery: null });
    expect((await refuse(owner, recoveryId)).status).toBe(204);
    await pass(recoveryId, 4 * dayMs);
    expect(says(await confirm(recoveryId))).toEqual(refusal(409, 'refused'));
    expect((await record()).map(({ action }) => action)).toEqual(['OWNER_RECOVERY_REFUSED', 'OWNER_RECOVERY_ASKED']);
    expect(await people()).toHaveLength(2);
    expect((await ask()).status).toBe(201);
  });

  it('one is open at a time, for seven days; it is withdrawn by an operator', async () => {
    const first = await asked();
    expect(says(await ask())).toEqual(refusal(409, 'is open'));
    await pass(first, 7 * dayMs);
    expect(says(await confirm(first))).toEqual(refusal(409, 'seven days'));
    const second = await asked();
    expect((await operator('carol', `owner-recoveries/${second}/withdraw`)).body).toMatchObject({ state: 'WITHDRAWN' });
    await pass(second, 4 * dayMs);
    expect(says(await confirm(second))).toEqual(refusal(409, 'withdrawn'));
    expect((await confirm(first)).status).toBe(404);
  });

  it('without a mail that is sure nothing begins, and nobody is let in', async () => {
    mails.isAway = true;
    expect((await ask()).status).toBeGreaterThanOrEqual(500);
    mails.isAway = false;
    const recoveryId = await asked();
    await pass(recoveryId, 3 * dayMs);
    mails.isAway = true;
    expect((await confirm(recoveryId)).status).toBeGreaterThanOrEqual(500);
    mails.isAway = false;
    expect((await confirm(recoveryId)).body).toMatchObject({ state: 'CONFIRMED', endedBy: 'operator bob' });
  });

  it('somebody who is in already becomes an owner, who confirms requests a day later', async () => {
    const developer = await member('Dev', { role: 'DEVELOPER' });
    await query('update person set email = $2 where person_id = $1', [developer.personId, email]);
    const recoveryId = await asked();
    await pass(recoveryId, 3 * dayMs);
    expect((await confirm(recoveryId)).status).toBe(200);
    expect((await record(developer)).map(({ action }) => action)[0]).toBe('ROLE_CHANGED');
    const rows = await query<{ changed: boolean }>(
      'select role_changed_at is not null as changed from person where person_id = $1',
      [developer.personId],
    );
    expect(rows).toEqual([{ changed: true }]);
  });

  it('regression: one operator alone lets nobody into an account that has an owner', async () => {
    const more = { tenantType: 'MERCHANT', tenantId, email, name: 'Nandi', role: 'OWNER' };
    expect(says(await operator('alice', 'people', more))).toEqual(refusal(409, 'paycode owners ask'));
    expect(await people()).toHaveLength(1);
    const without = String(Number(tenantId) + 2);
    expect((await operator('alice', 'people', { ...more, tenantId: without })).status).toBe(201);
    expect(says(await ask({ tenantId: without }))).toEqual(refusal(409, 'no owner who is in'));
  });

  it.each([
    ['tenantType', { tenantType: 'OPERATOR' }],
    ['tenantId', { tenantId: '' }],
    ['email', { email: 'nobody' }],
    ['name', { name: 'www.evil.example' }],
    ['reason', { reason: 'two\nlines' }],
  ])('a wrong %s is named', async (field, over) => {
    const { status, body } = await ask(over);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(field)]);
  });
});
