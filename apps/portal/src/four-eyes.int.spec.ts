import { randomBytes, randomUUID } from 'node:crypto';
import { Passwords } from './people/secrets';
import { FakeAccounts } from './testing/fake-accounts';
import { FakeMails } from './testing/fake-mails';
import { PortalVisitor } from './testing/portal-visitor';
import { dayMs, password, type ProductionPerson, productionPerson } from './testing/production-person';
import { manyGuesses, RunningPortal } from './testing/running-portal';

describe('the switch to Bearer in production takes two owners (A-95)', () => {
  let portal: RunningPortal;
  let accounts: FakeAccounts;
  let mails: FakeMails;
  let tenantId: string;
  let asker: ProductionPerson;
  let second: ProductionPerson;

  beforeAll(async () => {
    accounts = await FakeAccounts.start();
    mails = await FakeMails.start();
    const settings = {
      PAYCODE_ENVIRONMENT: 'production',
      AUTH_SESSION_URL: accounts.url,
      RECIPIENT_MESSAGES_URL: mails.url,
    };
    portal = await RunningPortal.start(settings, manyGuesses);
  });
  afterAll(() => Promise.all([portal.stop(), accounts.stop(), mails.stop()]));
  beforeEach(async () => {
    tenantId = String(1_000_000 + randomBytes(4).readUInt32BE());
    [asker, second] = await Promise.all([member('Thandi'), member('Sipho')]);
  });

  const query = <T = unknown>(text: string, values: unknown[]) => portal.database.dataSource.query<T[]>(text, values);
  const member = (name: string, { role = 'OWNER', tenant = tenantId, ageMs = 2 * dayMs } = {}): Promise<ProductionPerson> =>
    productionPerson(portal, name, { tenantType: 'MERCHANT', tenantId: tenant, role, ageMs });
  const given = (over: object = {}) => ({ current: password, typed: `merchant-${tenantId}`, ...over });
  const ask = ({ visitor }: ProductionPerson, over: object = {}) => visitor.post('credentials/bearer/request', given(over));
  const confirm = ({ visitor }: ProductionPerson, requestId: string, over: object = {}) =>
    visitor.post('credentials/bearer/confirm', { requestId, ...given(over) });
  const asked = async (by = asker) => {
    const { status, body } = await ask(by);
    expect(status).toBe(201);
    return String(body['requestId']);
  };
  const shown = async ({ visitor } = second) =>
    (await visitor.get('credentials/bearer')).body as unknown as {
      takesTwo: boolean;
      request: { requestId: string; state: string; askedBy: object; endedBy: string | null } | null;
      owners: { name: string }[];
    };
  const account = () => accounts.of('MERCHANT', Number(tenantId));
  const codeOf = ({ status, body }: Awaited<ReturnType<PortalVisitor['post']>>) => [status, body.message];
  const refusal = (status: number, says: string) => [status, expect.stringContaining(says)];

  it('one asks, another confirms, once; both are on record, here and where the account is', async () => {
    const requestId = await asked();
    expect(await shown()).toMatchObject({ takesTwo: true, request: { state: 'OPEN', askedBy: { name: 'Thandi' } } });
    expect(account().mode).toBe('BASIC');
    expect((await confirm(second, requestId)).body).toMatchObject({ mode: 'BEARER' });
    expect(codeOf(await confirm(second, requestId))).toEqual(refusal(409, 'takes session tokens already'));
    const rows = await query<{ person_name: string; action: string; by: string | null }>(
      `select person_name, action, detail->>'askedBy' as by from audit_event
        where person_id = any($1::uuid[]) and (action like 'FOUR_EYES%' or action like 'API%') order by audit_event_id`,
      [[asker.personId, second.personId]],
    );
    expect(rows).toEqual([
      { person_name: 'Thandi', action: 'FOUR_EYES_ASKED', by: 'Thandi' },
      { person_name: 'Sipho', action: 'FOUR_EYES_CONFIRMED', by: 'Thandi' },
      { person_name: 'Sipho', action: 'API_BEARER_ENABLED', by: 'Thandi' },
    ]);
    const calls = accounts.switched.filter(({ ownerId }) => ownerId === Number(tenantId));
    expect(calls.map(({ askedBy }) => askedBy)).toEqual(['Thandi']);
  });

  it('those who can confirm are mailed, each once, and whoever asked is not; without mail the request stands and says so', async () => {
    const third = await member('Naledi');
    await member('Vusi', { role: 'DEVELOPER' });
    await member('Eve', { tenant: '77' });
    const { body } = await ask(asker);
    expect(body).toMatchObject({ state: 'OPEN', isMailed: true });
    const told = mails.of(String(body['requestId']));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ kind: 'BEARER_SWITCH' });
    expect(told[0]!.to.map(({ name }) => name).sort()).toEqual(['Naledi', 'Sipho']);
    expect(JSON.stringify(await shown(third))).not.toContain('@shop.example');
    await asker.visitor.post(`four-eyes/${String(body['requestId'])}/withdraw`);
    mails.isAway = true;
    const again = await ask(asker);
    mails.isAway = false;
    expect([again.status, again.body]).toMatchObject([201, { state: 'OPEN', isMailed: false }]);
    expect((await shown()).request?.state).toBe('OPEN');
  });

  it('nobody switches alone: not by the route of the sandbox, nor by confirming the own request', async () => {
    expect(codeOf(await asker.visitor.post('credentials/bearer', given()))).toEqual(refusal(403, 'another owner confirms'));
    const requestId = await asked();
    expect(codeOf(await confirm(asker, requestId))).toEqual(refusal(403, 'nobody decides about the own request'));
    expect(codeOf(await asker.visitor.post(`four-eyes/${requestId}/refuse`))).toEqual(refusal(403, 'nobody decides'));
    expect([(await shown()).request?.state, account().mode]).toEqual(['OPEN', 'BASIC']);
  });

  it('each step takes the own password and the name of the account (T-56)', async () => {
    expect(codeOf(await ask(asker, { current: 'a guess at it' }))).toEqual(refusal(401, 'password is wrong'));
    expect(codeOf(await ask(asker, { typed: 'another' }))).toEqual(refusal(400, `merchant-${tenantId}`));
    expect((await shown()).request).toBeNull();
    const requestId = await asked();
    expect(codeOf(await confirm(second, requestId, { current: 'a guess at it' }))).toEqual(refusal(401, 'password is wrong'));
    expect(codeOf(await confirm(second, requestId, { typed: 'another' }))).toEqual(refusal(400, `merchant-${tenantId}`));
    expect(account().mode).toBe('BASIC');
  });

  it('a request of another tenant is not there, for any step (T-24)', async () => {
    const stranger = await member('Mallory', { tenant: `${tenantId}1` });
    const requestId = await asked();
    const typed = { typed: `merchant-${tenantId}1` };
    expect((await confirm(stranger, requestId, typed)).status).toBe(404);
    for (const step of ['withdraw', 'refuse'])
      expect((await stranger.visitor.post(`four-eyes/${requestId}/${step}`)).status).toBe(404);
    expect((await shown(stranger)).request).toBeNull();
    expect((await confirm(second, randomUUID())).status).toBe(404);
    expect([(await shown()).request?.state, account().mode]).toEqual(['OPEN', 'BASIC']);
  });

  it('developers and viewers see it, and take no step', async () => {
    const requestId = await asked();
    for (const role of ['DEVELOPER', 'VIEWER']) {
      const other = await member('Ann', { role });
      expect((await shown(other)).request?.state).toBe('OPEN');
      const steps = [
        await ask(other),
        await confirm(other, requestId),
        await other.visitor.post(`four-eyes/${requestId}/refuse`),
      ];
      expect(steps.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
  });

  const askerNow = (set: string) => query(`update person set ${set} where person_id = $1`, [asker.personId]);
  it.each<[string, { state: string; says: string; happens: () => unknown }]>([
    [
      'has run out',
      {
        state: 'EXPIRED',
        says: '24 hours',
        happens: () => query('update four_eyes_request set expires_at = clock_timestamp() where tenant_id = $1', [tenantId]),
      },
    ],
    ['is an owner’s no more', { state: 'ASKER_LEFT', says: 'no owner', happens: () => askerNow(`role = 'DEVELOPER'`) }],
    ['is of another tenant’s owner', { state: 'ASKER_LEFT', says: 'no owner', happens: () => askerNow(`tenant_id = '77'`) }],
    [
      'is about an account that changed',
      { state: 'CHANGED', says: 'has changed', happens: () => Object.assign(account(), { challengeRequired: true }) },
    ],
  ])('a request that %s is dead, stays dead, and another takes its place', async (_, { state, says, happens }) => {
    const requestId = await asked();
    await happens();
    expect((await shown()).request?.state).toBe(state);
    expect(codeOf(await confirm(second, requestId))).toEqual(refusal(409, says));
    await askerNow(`role = 'OWNER', tenant_id = '${tenantId}'`);
    Object.assign(account(), { challengeRequired: false });
    expect((await confirm(second, requestId)).status).toBe(409);
    const next = await asked(second);
    expect((await confirm(second, requestId)).status).toBe(404);
    expect((await confirm(asker, next)).status).toBe(200);
  });

  it('whoever asked withdraws, another owner refuses; then it is over, and its end has a name', async () => {
    const first = await asked();
    expect(codeOf(await second.visitor.post(`four-eyes/${first}/withdraw`))).toEqual(refusal(403, 'you can refuse it'));
    expect((await asker.visitor.post(`four-eyes/${first}/withdraw`)).status).toBe(204);
    expect(codeOf(await confirm(second, first))).toEqual(refusal(409, 'withdrawn'));
    const next = await asked();
    expect((await second.visitor.post(`four-eyes/${next}/refuse`)).status).toBe(204);
    expect((await shown(asker)).request).toMatchObject({ state: 'REFUSED', endedBy: 'Sipho' });
    expect(codeOf(await confirm(second, next))).toEqual(refusal(409, 'refused'));
    expect(account().mode).toBe('BASIC');
  });

  it('of two who confirm at once one does; of two who ask at once one asks', async () => {
    const third = await member('Lerato');
    accounts.answerTogether(2);
    const made = await Promise.all([ask(asker), ask(second)]);
    expect(made.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
    const { requestId } = (await shown()).request!;
    const others = [made[0].status === 201 ? second : asker, third];
    accounts.answerTogether(2);
    const confirmed = await Promise.all(others.map(other => confirm(other, requestId)));
    expect(confirmed.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect(accounts.switched.filter(({ ownerId }) => ownerId === Number(tenantId))).toHaveLength(1);
  });

  it('an open request is the only one; a single owner is told to invite another', async () => {
    await asked();
    expect(codeOf(await ask(second))).toEqual(refusal(409, 'asked for this already'));
    tenantId = `${tenantId}2`;
    const alone = await member('Zola');
    expect(codeOf(await ask(alone))).toEqual(refusal(409, 'invite a second owner'));
    expect((await shown(alone)).owners).toMatchObject([{ name: 'Zola' }]);
  });

  it('whoever was let in within a day confirms nothing, and a stolen session alone lets in no owner (T-56)', async () => {
    const requestId = await asked();
    const newcomer = await member('Self', { ageMs: dayMs - 60_000 });
    expect(codeOf(await confirm(newcomer, requestId))).toEqual(refusal(403, 'less than 24 hours ago'));
    // Nor does one who has been an owner for less than a day, however long it has been in.
    for (const role of ['DEVELOPER', 'OWNER'])
      expect((await asker.visitor.post(`people/${second.personId}/role`, { role, current: password })).status).toBe(204);
    expect(codeOf(await confirm(second, requestId))).toEqual(refusal(403, 'less than 24 hours ago'));
    const invite = { email: `${randomUUID()}@evil.example`, name: 'Self', role: 'OWNER' };
    expect((await asker.visitor.post('invitations', invite)).status).toBe(400);
    expect((await asker.visitor.post('invitations', { ...invite, current: 'a guess at it' })).status).toBe(401);
    expect(await query('select 1 from person where email = $1', [invite.email])).toEqual([]);
  });
});

describe('the switch to Bearer in the sandbox', () => {
  it('takes one person, and says so (A-95)', async () => {
    const accounts = await FakeAccounts.start();
    const portal = await RunningPortal.start({ AUTH_SESSION_URL: accounts.url });
    try {
      const hash = await new Passwords().hash(password);
      await portal.database.dataSource.query(
        `insert into person (email, name, tenant_type, tenant_id, role, password_hash)
         values ('dev@shop.example', 'Ann', 'MERCHANT', '1001', 'DEVELOPER', $1)`,
        [hash],
      );
      const visitor = new PortalVisitor(portal);
      await visitor.post('session', { email: 'dev@shop.example', password });
      expect((await visitor.get('credentials/bearer')).body).toEqual({ takesTwo: false, request: null, owners: [] });
      const given = { current: password, typed: 'merchant-1001' };
      const asked = await visitor.post('credentials/bearer/request', given);
      expect([asked.status, asked.body.message]).toEqual([409, expect.stringContaining('one person makes the switch')]);
      expect((await visitor.post('credentials/bearer', { ...given, current: 'a guess at it' })).status).toBe(401);
      expect((await visitor.post('credentials/bearer', given)).body).toMatchObject({ mode: 'BEARER' });
    } finally {
      await Promise.all([portal.stop(), accounts.stop()]);
    }
  });
});
