import { randomUUID } from 'node:crypto';
import { Passwords } from './people/secrets';
import { FakeDeadLetters } from './testing/fake-dead-letters';
import { type Heard, PortalVisitor } from './testing/portal-visitor';
import { dayMs, password, type ProductionPerson, productionPerson } from './testing/production-person';
import { manyGuesses, RunningPortal } from './testing/running-portal';

const service = 'webhook-dispatcher';
const codeOf = ({ status, body }: Heard) => [status, body.message];
const refusal = (status: number, says: string) => [status, expect.stringContaining(says)];

describe('the redrive of dead letters in production takes two people (A-98)', () => {
  let portal: RunningPortal;
  let kept: FakeDeadLetters;
  let asker: ProductionPerson;
  let second: ProductionPerson;

  beforeAll(async () => {
    kept = await FakeDeadLetters.start();
    const settings = {
      PAYCODE_ENVIRONMENT: 'production',
      AUTH_SESSION_URL: kept.url,
      WEBHOOK_DISPATCHER_URL: kept.url,
      REVERSAL_SCHEDULER_URL: kept.url,
      RECIPIENT_MESSAGES_URL: kept.url,
    };
    portal = await RunningPortal.start(settings, manyGuesses);
  });
  afterAll(() => Promise.all([portal.stop(), kept.stop()]));
  beforeEach(async () => {
    kept.letters.clear();
    kept.redriven.length = 0;
    await query('delete from four_eyes_request');
    await query(`update person set role = 'VIEWER', tenant_type = 'PSP', tenant_id = '9' where tenant_type = 'OPERATOR'`);
    [asker, second] = await Promise.all([operator('Naledi'), operator('Pieter', { role: 'ADMINISTRATOR' })]);
  });

  const query = <T = unknown>(text: string, values: unknown[] = []) => portal.database.dataSource.query<T[]>(text, values);
  const operator = (name: string, over: object = {}) =>
    productionPerson(portal, name, { tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL', ...over });
  const path = (of: string) => `on-call/dead-letters/${of}`;
  const refs = (...letters: { letterId: number }[]) => letters.map(({ letterId }) => ({ service, letterId }));
  const ask = ({ visitor }: ProductionPerson, letters: { letterId: number }[], current = password) =>
    visitor.post(path('request'), { letters: refs(...letters), current });
  const confirm = ({ visitor }: ProductionPerson, requestId: string, current = password) =>
    visitor.post(path('confirm'), { requestId, current });
  const asked = async (...letters: { letterId: number }[]) => {
    const { status, body } = await ask(asker, letters);
    expect(status).toBe(201);
    return String(body['requestId']);
  };
  const shown = async ({ visitor } = second) =>
    (await visitor.get(path('redrive'))).body as unknown as {
      takesTwo: boolean;
      request: { state: string } | null;
      letters: { letterId: number; reason: string }[];
    };

  it.each([
    ['merchants/1001/notifications/url', { url: 'https://evil.example/', current: password }],
    ['merchants/1001/notifications/key', { current: password }],
    ['merchants/1001/notifications/url/remove', { current: password }],
    ['merchants/1001/notifications/recipients', { type: 'EMAIL', value: 'a@evil.example' }],
    ['merchants/1001/notifications/recipients/remove', { type: 'EMAIL', value: 'a@shop.example', current: password }],
  ])('regression: an administrator alone does not change what a merchant set up: %s (T-52)', async (of, body) => {
    expect((await second.visitor.post(of, body)).status).toBe(403);
  });

  it.each(['ON_CALL', 'ADMINISTRATOR'])(
    'regression: the session of an administrator alone lets in no second %s to confirm (T-56)',
    async role => {
      const invite = { email: `${randomUUID()}@evil.example`, name: 'Self', role };
      expect((await second.visitor.post('invitations', invite)).status).toBe(400);
      expect((await second.visitor.post('invitations', { ...invite, current: 'a guess at it' })).status).toBe(401);
    },
  );

  it('one asks for some, another sees which and confirms, once; each letter is on record with both names', async () => {
    const [one, other] = [kept.park(71), kept.park(72)];
    kept.park(73);
    const requestId = await asked(one, other);
    expect(kept.redriven).toEqual([]);
    const waiting = await shown();
    expect(waiting).toMatchObject({ takesTwo: true, request: { state: 'OPEN' } });
    expect(waiting.letters.map(({ letterId }) => letterId)).toEqual([one.letterId, other.letterId]);
    const { body } = await confirm(second, requestId);
    expect(body).toMatchObject([{ service, letterId: one.letterId, outcome: 'HANDLED' }, { outcome: 'HANDLED' }]);
    expect(kept.redriven).toEqual([[one.letterId, other.letterId]]);
    expect([...kept.letters.values()].map(({ transactionId }) => transactionId)).toEqual([73]);
    expect(codeOf(await confirm(second, requestId))).toEqual(refusal(409, 'confirmed already'));
    const rows = await query(
      `select person_name, action, detail->>'transactionId' as id, detail->>'askedBy' as by from audit_event
        where person_id = any($1::uuid[]) and (action like 'FOUR_EYES%' or action like 'DEAD%') order by audit_event_id`,
      [[asker.personId, second.personId]],
    );
    expect(rows).toEqual([
      { person_name: 'Naledi', action: 'FOUR_EYES_ASKED', id: null, by: 'Naledi' },
      { person_name: 'Pieter', action: 'FOUR_EYES_CONFIRMED', id: null, by: 'Naledi' },
      { person_name: 'Pieter', action: 'DEAD_LETTER_REDRIVEN', id: '71', by: 'Naledi' },
      { person_name: 'Pieter', action: 'DEAD_LETTER_REDRIVEN', id: '72', by: 'Naledi' },
    ]);
  });

  it('nobody redrives alone: not by the route of the sandbox, not by the own request, not with the session alone (T-57)', async () => {
    const letter = kept.park(71);
    expect(codeOf(await asker.visitor.post(path('redrive'), { letters: refs(letter) }))).toEqual(
      refusal(403, 'a second person on call confirms'),
    );
    expect(codeOf(await ask(asker, [letter], 'a guess at it'))).toEqual(refusal(401, 'password is wrong'));
    const requestId = await asked(letter);
    expect(codeOf(await confirm(asker, requestId))).toEqual(refusal(403, 'nobody decides about the own request'));
    expect(codeOf(await confirm(second, requestId, 'a guess at it'))).toEqual(refusal(401, 'password is wrong'));
    const newcomer = await operator('Self', { ageMs: dayMs - 60_000 });
    expect(codeOf(await confirm(newcomer, requestId))).toEqual(refusal(403, 'less than 24 hours ago'));
    expect([kept.redriven, (await shown()).request?.state]).toEqual([[], 'OPEN']);
  });

  it('a request dies with its letters: handled elsewhere, or refused once more; after 24 hours; when it is refused', async () => {
    const letter = kept.park(71);
    const first = await asked(letter);
    Object.assign(letter, { times: 2 });
    expect((await shown()).request?.state).toBe('CHANGED');
    expect(codeOf(await confirm(second, first))).toEqual(refusal(409, 'has changed since'));
    const next = await asked(letter);
    kept.letters.delete(letter.letterId);
    expect(codeOf(await confirm(second, next))).toEqual(refusal(409, 'has changed since'));
    expect(codeOf(await ask(asker, [letter]))).toEqual(refusal(409, 'is kept no more'));
    const later = kept.park(72);
    const third = await asked(later);
    await query('update four_eyes_request set expires_at = clock_timestamp()');
    expect(codeOf(await confirm(second, third))).toEqual(refusal(409, '24 hours'));
    const fourth = await asked(later);
    expect((await second.visitor.post(`four-eyes/${fourth}/refuse`)).status).toBe(204);
    expect(codeOf(await confirm(second, fourth))).toEqual(refusal(409, 'refused'));
    expect(codeOf(await confirm(second, randomUUID()))).toEqual(refusal(404, 'not yours'));
    expect(kept.redriven).toEqual([]);
  });

  it('people of tenants see nothing and take no step, by every call (T-24, T-57)', async () => {
    const letter = kept.park(71);
    const requestId = await asked(letter);
    const calls = ({ visitor }: ProductionPerson) => [
      visitor.get('on-call/dead-letters'),
      visitor.get(path('redrive')),
      visitor.post(path('preview'), { letters: refs(letter) }),
      visitor.post(path('redrive'), { letters: refs(letter) }),
      visitor.post(path('request'), { letters: refs(letter), current: password }),
      visitor.post(path('confirm'), { requestId, current: password }),
    ];
    for (const tenantType of ['MERCHANT', 'PSP'] as const) {
      const stranger = await productionPerson(portal, 'Mallory', { tenantType, tenantId: '1001', role: 'OWNER' });
      const heard = await Promise.all(calls(stranger));
      expect(heard.map(({ status }) => status)).toEqual(heard.map(() => 403));
      expect((await stranger.visitor.post(`four-eyes/${requestId}/refuse`)).status).toBe(404);
    }
    const nobody = await Promise.all(calls({ ...asker, visitor: new PortalVisitor(portal) }));
    expect(nobody.map(({ status }) => status)).toEqual(nobody.map(() => 401));
    expect([kept.redriven, (await shown()).request?.state]).toEqual([[], 'OPEN']);
  });

  it('names the field and the rule of what is no letter, and takes at most 50', async () => {
    const sent = (letters: unknown) => asker.visitor.post(path('preview'), { letters });
    expect(codeOf(await sent([]))).toEqual(refusal(400, 'letters'));
    expect(codeOf(await sent([{ service: 'payment-core', letterId: 1 }]))).toEqual(refusal(400, 'service'));
    expect(codeOf(await sent([{ service, letterId: 0 }]))).toEqual(refusal(400, 'letterId'));
    expect((await sent(Array.from({ length: 51 }, (_, at) => ({ service, letterId: at + 1 })))).status).toBe(400);
    expect(codeOf(await asker.visitor.get('on-call/dead-letters?before=x'))).toEqual(refusal(400, 'before'));
  });

  it('shows what each service keeps, and what a redrive would do (A-97)', async () => {
    const letter = kept.park(71);
    const { body } = await asker.visitor.get('on-call/dead-letters');
    expect(body).toMatchObject({ services: [{ service, letters: [{ letterId: letter.letterId, times: 1 }] }, {}, {}, {}] });
    const previewed = await asker.visitor.post(path('preview'), { letters: refs(letter) });
    expect(previewed.body).toMatchObject([{ letterId: letter.letterId, effect: 'DELIVERED' }]);
  });
});

it('in the sandbox one person redrives, and says so (A-98)', async () => {
  const kept = await FakeDeadLetters.start();
  const portal = await RunningPortal.start({ AUTH_SESSION_URL: kept.url, WEBHOOK_DISPATCHER_URL: kept.url });
  try {
    await portal.database.dataSource.query(
      `insert into person (email, name, tenant_type, tenant_id, role, password_hash)
       values ('night@platform.example', 'Ann', 'OPERATOR', '', 'ON_CALL', $1)`,
      [await new Passwords().hash(password)],
    );
    const visitor = new PortalVisitor(portal);
    await visitor.post('session', { email: 'night@platform.example', password });
    const { letterId } = kept.park(71);
    expect((await visitor.get('on-call/dead-letters/redrive')).body).toMatchObject({ takesTwo: false, request: null });
    // Its other neighbours are away.
    expect((await visitor.get('on-call/dead-letters')).body).toMatchObject({
      silent: expect.arrayContaining(['recipient-messages']) as string[],
    });
    const asked = await visitor.post('on-call/dead-letters/request', { letters: [{ service, letterId }], current: password });
    expect(codeOf(asked)).toEqual(refusal(409, 'one person redrives'));
    const { body } = await visitor.post('on-call/dead-letters/redrive', { letters: [{ service, letterId }] });
    expect(body).toMatchObject([{ letterId, outcome: 'HANDLED' }]);
    const rows: unknown[] = await portal.database.dataSource.query(
      `select person_name, merchant_id from audit_event where action = 'DEAD_LETTER_REDRIVEN'`,
    );
    expect(rows).toEqual([{ person_name: 'Ann', merchant_id: '1001' }]);
  } finally {
    await Promise.all([portal.stop(), kept.stop()]);
  }
});
