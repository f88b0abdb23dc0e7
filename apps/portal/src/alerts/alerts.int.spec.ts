import { randomBytes, randomUUID } from 'node:crypto';
import { KeyRing } from '@paycode/crypto';
import type { EndingCertificate, OldKey, PortalAlert } from '@paycode/dto';
import { testDatabase } from '@paycode/persistence/testing';
import { DomainError } from '@paycode/service-runtime';
import { migrations } from '../../migrations';
import { ClientSecrets } from '../identity-providers/identity-providers.service';
import { PaymentWriter } from '../payments/payment-writer';
import { secretHash } from '../people/secrets';
import type { MerchantDirectory } from '../tenancy/merchant.directory';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';
import { AlertStore } from './alert.store';
import { type AlertMailer, AlertsService, type CertificateCalls } from './alerts.service';

const minuteMs = 60_000;
const day = Date.parse('2030-01-01T14:00:00.000Z');
/** So many minutes after 14:00. */
const at = (minutes: number) => new Date(day + minutes * minuteMs);

/** proves: T-24, T-25, T-29 */
describe('alerts by e-mail', () => {
  const database = testDatabase({ migrations });
  let store: AlertStore;
  let alerts: AlertsService;
  let mailed: { secret: string; alert: PortalAlert }[];
  let refuse: (alert: PortalAlert) => Error | undefined;
  let directory: {
    find: (merchantId: number) => Promise<unknown>;
    search: () => Promise<unknown>;
    oldKeys: () => Promise<OldKey[]>;
  };
  let ending: () => Promise<EndingCertificate[]>;
  let nextId = 1;

  beforeEach(async () => {
    await database.dataSource.query(
      'delete from person; delete from payment; delete from alert_reversal; delete from alert_outage',
    );
    mailed = [];
    refuse = () => undefined;
    directory = {
      find: merchantId => Promise.resolve({ merchantId, pspId: merchantId < 100 ? 3 : null }),
      search: () => Promise.resolve([1, 2, 1001].map(merchantId => ({ merchantId, pspId: merchantId < 100 ? 3 : null }))),
      oldKeys: () => Promise.resolve([]),
    };
    ending = () => Promise.resolve([]);
    store = new AlertStore(database.dataSource);
    alerts = service();
  });

  function service(): AlertsService {
    const mailer = {
      send: async (secret: string, alert: PortalAlert) => {
        const error = refuse(alert);
        if (error) throw error;
        mailed.push({ secret, alert });
      },
    } as unknown as AlertMailer;
    const keys = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
    const log = { warn: () => undefined } as unknown as ConstructorParameters<typeof AlertsService>[5];
    const calls = { ending: () => ending() } as CertificateCalls;
    return new AlertsService(store, directory as unknown as MerchantDirectory, calls, mailer, new ClientSecrets(keys), log);
  }

  const person = async (tenantType: string, tenantId: string, role = 'OWNER') => {
    const [{ person_id: personId }] = await database.dataSource.query<[{ person_id: string }]>(
      `insert into person (email, name, tenant_type, tenant_id, role, accepted_at)
       values ($1, 'P', $2, $3, $4, now()) returning person_id`,
      [`${randomUUID()}@shop.example`, tenantType, tenantId, role],
    );
    return personId;
  };
  /** Payments of a merchant that were reversed so many minutes after 14:00. */
  const reversed = async (merchantId: number, minutes: number, count = 1) => {
    const ids = Array.from({ length: count }, () => nextId++);
    await database.dataSource.query(
      `insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference)
       select id, $2, 'PURCHASE', 'SUCCESS', 0, $3, 12.5, 'ZAR', 'r' from unnest($1::bigint[]) id`,
      [ids, merchantId, at(minutes)],
    );
    const reversal = { merchantId, reason: 'TIMEOUT' as const, requestedAt: at(minutes).toISOString() };
    const events = ids.map(transactionId => ({ ...reversal, transactionId }));
    // As often as an event may come.
    for (const _ of [1, 2]) await new PaymentWriter(database.dataSource).reversals(events);
  };
  const acknowledged = async (merchantId: number, minutes: number, source = 'WEBHOOK') => {
    await database.dataSource.query(
      `insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference,
                            acknowledged_at, ack_source)
       values ($1, $2, 'PURCHASE', 'SUCCESS', 0, $3, 1, 'ZAR', 'r', $3, $4)`,
      [nextId++, merchantId, at(minutes), source],
    );
  };
  const kinds = () => mailed.map(({ alert: { kind, merchantId, payments } }) => `${kind} ${merchantId} ${payments}`).sort();
  const runs = async (...minutes: number[]) => {
    for (const each of minutes) await alerts.run(at(each));
  };

  it('an owner gets one digest of reversed payments with their money, and the next one an hour later at the earliest', async () => {
    await person('MERCHANT', '1001');
    await reversed(1001, 1, 2);
    await runs(1, 3);
    expect(mailed).toEqual([]);
    await runs(6);
    expect(mailed.map(({ alert }) => alert)).toEqual([
      {
        kind: 'REVERSED',
        merchantId: 1001,
        payments: 2,
        sinceAt: at(1).toISOString(),
        sums: [{ currencyCode: 'ZAR', amount: '25.0' }],
      },
    ]);
    await reversed(1001, 20);
    await runs(20, 40, 65);
    expect(mailed).toHaveLength(1);
    await runs(66, 67, 200);
    expect(kinds()).toEqual(['REVERSED 1001 1', 'REVERSED 1001 2']);
  });

  it('a server that fails three times in ten minutes is told of once, and once more when it works again', async () => {
    await person('MERCHANT', '1001');
    await reversed(1001, 0, 2);
    await runs(0);
    expect(mailed).toEqual([]);
    await reversed(1001, 2);
    await runs(2, 3);
    expect(kinds()).toEqual(['RECEIVER_FAILS 1001 3']);
    await reversed(1001, 4, 5);
    await acknowledged(1001, 5);
    await runs(4);
    // Ten minutes without a failure, and an acknowledgement after the last one.
    await runs(13);
    expect(kinds().filter(kind => kind.startsWith('RECEIVER'))).toEqual(['RECEIVER_FAILS 1001 3']);
    await runs(15, 16, 30);
    expect(kinds().filter(kind => kind.startsWith('RECEIVER'))).toEqual(['RECEIVER_FAILS 1001 3', 'RECEIVER_WORKS 1001 0']);
  });

  it('a server that fails again and again is told of once an hour', async () => {
    await person('MERCHANT', '1001');
    for (const [minutes, all] of [
      [0, 1],
      [20, 1],
      [65, 2],
    ] as const) {
      await reversed(1001, minutes, 3);
      await acknowledged(1001, minutes + 5);
      await runs(minutes, minutes + 15);
      expect(kinds().filter(kind => kind === 'RECEIVER_FAILS 1001 3')).toHaveLength(all);
    }
    expect(kinds().filter(kind => kind.startsWith('RECEIVER_WORKS'))).toHaveLength(2);
  });

  it('a payment that the merchant read itself, or that came before the last failure, says nothing of the server', async () => {
    await person('MERCHANT', '1001');
    await acknowledged(1001, 0);
    await reversed(1001, 1, 3);
    await acknowledged(1001, 2, 'RECOVERY');
    await runs(1, 20);
    expect(kinds().filter(kind => kind.startsWith('RECEIVER'))).toEqual(['RECEIVER_FAILS 1001 3']);
  });

  it('people of the PSP get one digest of all its merchants, and nobody of another tenant, who is not in, or of a lesser role gets one (T-24)', async () => {
    await person('PSP', '3');
    await Promise.all([
      person('PSP', '1001'),
      person('MERCHANT', '3'),
      person('ACQUIRER', '3'),
      person('MERCHANT', '7', 'VIEWER'),
    ]);
    const absent = await person('MERCHANT', '8');
    await database.dataSource.query('update person set accepted_at = null where person_id = $1', [absent]);
    await reversed(7, 0);
    await reversed(8, 0);
    await reversed(1001, 0);
    await runs(0, 5);
    expect(kinds()).toEqual(['REVERSED null 2']);
  });

  it('each person chooses, and the link of a mail ends the mails of its rule for that person alone', async () => {
    const [owner, viewer] = [await person('MERCHANT', '1001'), await person('MERCHANT', '1001', 'VIEWER')];
    expect(await store.choices({ personId: viewer, role: 'VIEWER' })).toEqual([
      { rule: 'RECEIVER', isOn: false },
      { rule: 'REVERSED', isOn: false },
      { rule: 'CERTIFICATE', isOn: false },
      { rule: 'KEY', isOn: false },
    ]);
    await store.choose(viewer, { rule: 'REVERSED', isOn: true });
    await reversed(1001, 0);
    await runs(0, 5);
    expect(kinds()).toEqual(['REVERSED 1001 1', 'REVERSED 1001 1']);
    const [row] = await database.dataSource.query<[{ token_hash: Buffer }]>(
      'select token_hash from alert_mail where person_id = $1',
      [owner],
    );
    const own = mailed.find(({ secret }) => secretHash(secret).equals(row.token_hash))!;
    expect([await store.stop(own.secret), await store.stop(own.secret), await store.stop('x'.repeat(43))]).toEqual([
      true,
      true,
      false,
    ]);
    mailed = [];
    await reversed(1001, 70, 3);
    await runs(70, 76);
    expect(kinds()).toEqual(['RECEIVER_FAILS 1001 3', 'REVERSED 1001 3']);
    expect(await store.choices({ personId: owner, role: 'OWNER' })).toEqual([
      { rule: 'RECEIVER', isOn: true },
      { rule: 'REVERSED', isOn: false },
      { rule: 'CERTIFICATE', isOn: true },
      { rule: 'KEY', isOn: true },
    ]);
  });

  it('a certificate that ends is told of once a week, the PSP of several merchants of the first, and while nobody knows of certificates no other alert waits', async () => {
    await Promise.all([person('MERCHANT', '1001'), person('PSP', '3'), person('MERCHANT', '2', 'VIEWER')]);
    await reversed(1001, 0, 3);
    ending = () => Promise.reject(new Error('away'));
    await runs(0);
    expect(kinds()).toEqual(['RECEIVER_FAILS 1001 3']);
    ending = () => Promise.resolve([1, 2, 1001].map(merchantId => ({ merchantId, endsAt: at(merchantId).toISOString() })));
    const week = 7 * 24 * 60;
    for (const [minutes, all] of [
      [1, 1],
      [week, 1],
      [week + 61, 2],
    ] as const) {
      await runs(minutes);
      const told = mailed.filter(({ alert: { kind } }) => kind === 'CERTIFICATE_ENDS').map(({ alert }) => alert);
      expect(told.filter(({ merchantId }) => merchantId === 1001)).toHaveLength(all);
      expect(told.filter(({ merchantId, sinceAt }) => merchantId === null && sinceAt === at(1).toISOString())).toHaveLength(all);
    }
  });

  it('a key older than a year is told of once a month, of several the oldest, and not to people who stopped these mails', async () => {
    await Promise.all([person('MERCHANT', '1001'), person('PSP', '3')]);
    const stopping = await person('MERCHANT', '1001');
    directory.oldKeys = () =>
      Promise.resolve(
        [1, 2, 1001].map(merchantId => ({
          merchantId,
          pspId: merchantId < 1001 ? 3 : null,
          madeAt: at(-merchantId).toISOString(),
        })),
      );
    const month = 30 * 24 * 60;
    const told = () => mailed.map(({ alert: { kind, merchantId, sinceAt } }) => `${kind} ${merchantId} ${sinceAt}`).sort();
    const one = [
      `KEY_OLD 1001 ${at(-1001).toISOString()}`,
      `KEY_OLD 1001 ${at(-1001).toISOString()}`,
      `KEY_OLD null ${at(-2).toISOString()}`,
    ];
    await runs(0);
    expect(told()).toEqual(one);
    const [row] = await database.dataSource.query<[{ token_hash: Buffer }]>(
      'select token_hash from alert_mail where person_id = $1',
      [stopping],
    );
    await alerts.stop(mailed.find(({ secret }) => secretHash(secret).equals(row.token_hash))!.secret);
    expect(await store.choices({ personId: stopping, role: 'OWNER' })).toContainEqual({ rule: 'KEY', isOn: false });
    await runs(month - 1);
    expect(told()).toEqual(one);
    await runs(month + 61);
    expect(told()).toEqual([...one, ...one.slice(1)].sort());
  });

  it('a mail that could not be handed over is handed over later, with the same secret, and a refused one stops no other (T-29)', async () => {
    await Promise.all([person('MERCHANT', '1001'), person('MERCHANT', '1002'), person('MERCHANT', '1003')]);
    for (const merchantId of [1001, 1002, 1003]) await reversed(merchantId, 0);
    await runs(0);
    refuse = () => new Error('away');
    await expect(alerts.run(at(5))).rejects.toThrow('away');
    const refused = new DomainError({ status: 409, reason: 'NOT_ALERTED', message: 'no' });
    refuse = ({ merchantId }) => (merchantId === 1002 ? refused : undefined);
    await runs(6, 7);
    expect(kinds()).toEqual(['REVERSED 1001 1', 'REVERSED 1003 1']);
    const rows = await database.dataSource.query<{ secret_sealed: string | null }[]>('select secret_sealed from alert_mail');
    expect(rows.map(row => row.secret_sealed)).toEqual([null, null, null]);
  });

  it('a merchant whose PSP cannot be looked up now delays no other, and its alerts come later (T-29)', async () => {
    await Promise.all([person('MERCHANT', '1001'), person('MERCHANT', '1002')]);
    const { find } = directory;
    directory.find = merchantId => (merchantId === 1001 ? Promise.reject(new Error('away')) : find(merchantId));
    for (const merchantId of [1001, 1002]) await reversed(merchantId, 0);
    await runs(0, 5);
    expect(kinds()).toEqual(['REVERSED 1002 1']);
    directory.find = find;
    await runs(6, 11);
    expect(kinds()).toEqual(['REVERSED 1001 1', 'REVERSED 1002 1']);
  });

  const written = async () =>
    (await database.dataSource.query<[{ count: number }]>('select count(*)::int as count from alert_mail'))[0].count;

  it('a replica writes nothing while another one does', async () => {
    await person('MERCHANT', '1001');
    await reversed(1001, 0);
    await runs(0);
    await database.dataSource.transaction(async manager => {
      await manager.query('select pg_advisory_xact_lock(7413001)');
      await runs(5);
      expect(await written()).toBe(0);
    });
    await runs(5);
    expect(await written()).toBe(1);
  });

  it('a person gets at most ten mails an hour', async () => {
    await person('PSP', '3');
    for (let merchantId = 1; merchantId <= 12; merchantId++) await reversed(merchantId, 0, 3);
    await runs(0, 6);
    expect(await written()).toBe(10);
  });

  it('nothing is kept that nobody can need any more', async () => {
    await person('MERCHANT', '1001');
    await reversed(1001, 0);
    await runs(0, 5, 130, 61 * 24 * 60);
    const counts = await database.dataSource.query<object[]>(
      'select (select count(*)::int from alert_mail) as mails, (select count(*)::int from alert_reversal) as reversals',
    );
    expect(counts).toEqual([{ mails: 0, reversals: 0 }]);
  });
});

/** proves: T-24 */
describe('the choice of alerts', () => {
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await RunningPortal.start();
  });
  afterAll(() => portal.stop());

  const password = 'a long enough sentence';
  const visitor = async (of: object) => {
    const email = `${randomUUID()}@shop.example`;
    const body = JSON.stringify({ email, name: 'Thandi', role: 'OWNER', password, ...of });
    const headers = { ...portal.operatorHeaders(), 'content-type': 'application/json' };
    expect((await fetch(`${portal.internalUrl}/internal/people`, { method: 'POST', headers, body })).status).toBe(201);
    const person = new PortalVisitor(portal);
    await person.post('session', { email, password });
    return { person, email };
  };
  const owner = () => visitor({ tenantType: 'MERCHANT', tenantId: '1001' });

  it('is on for owners, is kept for the person alone, and names what is wrong', async () => {
    const [{ person }, { person: other }] = [await owner(), await owner()];
    expect((await person.post('alerts', { rule: 'REVERSED', isOn: false })).status).toBe(204);
    const isOn = async (of: PortalVisitor) =>
      ((await of.get('alerts')).body as unknown as { isOn: boolean }[]).map(each => each.isOn);
    expect([await isOn(person), await isOn(other)]).toEqual([
      [true, false, true, true],
      [true, true, true, true],
    ]);
    expect((await person.post('alerts', { rule: 'ALL', isOn: 1 })).body).toMatchObject({
      errors: [{ field: 'rule' }, { field: 'isOn' }],
    });
    const { person: operator } = await visitor({ tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' });
    expect((await operator.get('alerts')).body).toEqual([]);
  });

  it('is ended by a mail program, without a session and from no page, by the secret of a mail alone (RFC 8058)', async () => {
    const { person, email } = await owner();
    const secret = randomBytes(32).toString('base64url');
    await portal.database.dataSource.query(
      `insert into alert_mail (alert_id, person_id, kind, about, token_hash, created_at)
       select gen_random_uuid(), person_id, 'RECEIVER_WORKS', '{}', sha256($2::text::bytea), now() from person where email = $1`,
      [email, secret],
    );
    const press = async (token: string, path = 'alerts/stop/') => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const init = { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' };
      return (await fetch(`${portal.publicUrl}/console/api/${path}${token}`, init)).status;
    };
    expect([await press(secret), await press(secret), await press('x'.repeat(43))]).toEqual([204, 204, 404]);
    expect((await person.get('alerts')).body).toMatchObject([
      { rule: 'RECEIVER', isOn: false },
      { rule: 'REVERSED', isOn: true },
      { rule: 'CERTIFICATE', isOn: true },
      { rule: 'KEY', isOn: true },
    ]);
    expect(await press('', 'alerts')).not.toBe(204);
  });
});
