import { randomBytes, randomUUID } from 'node:crypto';
import { KeyRing } from '@paycode/crypto';
import type { PortalAlert } from '@paycode/dto';
import { testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { AlertStore } from '../alerts/alert.store';
import { type AlertMailer, AlertsService, type CertificateCalls } from '../alerts/alerts.service';
import { ClientSecrets } from '../identity-providers/identity-providers.service';
import { StatementStore } from '../statements/statement.store';
import { csvHeader, csvLines } from '../files/domain/csv';
import { statementColumns } from '../statements/domain/statement';
import { StatementsService } from '../statements/statements.service';
import type { MerchantDirectory } from '../tenancy/merchant.directory';
import { Scope } from '../tenancy/scope';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';
import { MailedStatementStore } from './mailed-statement.store';
import { MailedStatementsService, type WantedMails } from './mailed-statements.service';

const hourMs = 3_600_000;
/** 2030-01-10, 06:00 UTC: 9 January is to be mailed. */
const morning = Date.parse('2030-01-10T06:00:00.000Z');
const days = (count: number, hours = 0) => new Date(morning + (count * 24 + hours) * hourMs);

/** proves: T-24, T-25, T-29 */
describe('statements by e-mail', () => {
  const database = testDatabase({ migrations });
  let mailed: { secret: string; alert: PortalAlert }[];
  let isMailAway: boolean;
  let status: string;
  let idsOf: () => Promise<number[]>;
  let statements: MailedStatementsService;
  let alerts: AlertsService;
  let nextId = 1;

  const directory = {
    find: (merchantId: number) => Promise.resolve({ merchantId, status }),
    idsOf: () => idsOf(),
    withNames: (rows: object[]) => Promise.resolve(rows.map(row => ({ ...row, merchantName: 'Shop' }))),
    oldKeys: () => Promise.resolve([]),
  } as unknown as MerchantDirectory;
  const secrets = new ClientSecrets(KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`));
  const log = { warn: () => undefined } as unknown as ConstructorParameters<typeof AlertsService>[5];

  /** A process of the portal; its neighbours are doubles. */
  const replica = () =>
    new MailedStatementsService(
      new MailedStatementStore(database.dataSource),
      new StatementStore(database.dataSource),
      directory,
      secrets,
      log,
    );

  beforeEach(async () => {
    await database.dataSource.query('delete from person; delete from payment');
    mailed = [];
    isMailAway = false;
    status = 'ACTIVE';
    idsOf = () => Promise.resolve([7, 8]);
    statements = replica();
    const mailer = {
      send: async (secret: string, alert: PortalAlert) => {
        if (isMailAway) throw new Error('away');
        mailed.push({ secret, alert });
      },
    } as unknown as AlertMailer;
    const certificates = { ending: () => Promise.resolve([]) } as unknown as CertificateCalls;
    alerts = new AlertsService(new AlertStore(database.dataSource), directory, certificates, mailer, secrets, log);
  });

  const person = async (tenantType = 'MERCHANT', tenantId = '7', wanted: WantedMails = { every: 'DAY', timeZone: 'UTC' }) => {
    const [{ person_id: personId }] = await database.dataSource.query<[{ person_id: string }]>(
      `insert into person (email, name, tenant_type, tenant_id, role, accepted_at)
       values ($1, 'P', $2, $3, 'VIEWER', now()) returning person_id`,
      [`${randomUUID()}@shop.example`, tenantType, tenantId],
    );
    const one = { personId, tenantType, tenantId } as Parameters<MailedStatementsService['choose']>[0];
    await statements.choose(one, wanted, days(0));
    return one;
  };
  const paid = async (merchantId: number, at: string, [amount, currency, acknowledged]: [string, string, boolean]) =>
    database.dataSource.query(
      `insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference,
                            acknowledged_at, ack_source, tip_amount)
       values ($1, $2, 'PURCHASE', 'SUCCESS', 0, $3::timestamptz, $4, $5, 'r', case when $6 then $3::timestamptz end, case when $6 then 'WEBHOOK' end, 0.5)`,
      [nextId++, merchantId, at, amount, currency, acknowledged],
    );
  const run = async (at: Date) => {
    await statements.run(at);
    await alerts.run(at);
  };
  const periods = () => mailed.map(({ alert }) => alert.statement!.period);

  it('say what the database and the file say of the day in the zone of the person, to each account its own', async () => {
    // A night in Kolkata, before and after it.
    await paid(7, '2030-01-09T18:29:59Z', ['1.00', 'INR', true]);
    await paid(7, '2030-01-09T18:30:00Z', ['10.10', 'INR', true]);
    await paid(8, '2030-01-10T18:29:59Z', ['20.25', 'INR', false]);
    await paid(8, '2030-01-10T12:00:00Z', ['300', 'JPY', true]);
    await paid(9, '2030-01-10T12:00:00Z', ['4000.00', 'INR', true]);
    await paid(7, '2030-01-10T18:30:00Z', ['50000.00', 'INR', true]);
    const timeZone = 'Asia/Kolkata';
    const psp = await person('PSP', '3', { every: 'DAY', timeZone });
    await person('MERCHANT', '9', { every: 'MONTH', timeZone });
    await run(days(0, 18));
    expect(mailed).toEqual([]);
    await run(days(0, 18.5));
    const { statement } = mailed[0]!.alert;
    expect(statement).toMatchObject({ period: '2030-01-10', timeZone });
    expect(statement!.totals).toEqual([
      {
        currencyCode: 'INR',
        paid: { count: 2, amount: '30.35' },
        settled: { count: 1, amount: '10.10' },
        reversed: { count: 0, amount: '0.00' },
        waiting: { count: 1, amount: '20.25' },
        refunded: { count: 0, amount: '0.00' },
        tips: '0.50',
      },
      expect.objectContaining({ currencyCode: 'JPY', paid: { count: 1, amount: '300' } }),
    ]);
    const sums = await database.dataSource.query<object[]>(
      `select currency_code as "currencyCode", sum(amount)::text as amount, count(*)::int as count from payment
        where merchant_id in (7, 8) and (completed_at at time zone 'Asia/Kolkata')::date = '2030-01-10' group by 1 order by 1`,
    );
    expect(sums).toEqual(statement!.totals.map(({ currencyCode, paid: of }) => ({ currencyCode, ...of })));
    const page = await new StatementsService(new StatementStore(database.dataSource), directory).of(
      await Scope.of(psp, directory),
      { period: '2030-01-10', timeZone },
      psp.personId,
    );
    expect(page.totals).toEqual(statement!.totals);
    const [header, ...lines] = (csvHeader(statementColumns) + csvLines(statementColumns, page.lines)).trimEnd().split('\r\n');
    const inFile = (currency: string, column: string) =>
      lines
        .map(line => line.split(','))
        .filter(cells => cells[3] === currency)
        .reduce((sum, cells) => sum + Number(cells[header!.split(',').indexOf(column)]), 0);
    for (const { currencyCode, ...of } of statement!.totals)
      expect([inFile(currencyCode, 'paid'), inFile(currencyCode, 'paidAmount'), inFile(currencyCode, 'settledAmount')]).toEqual([
        of.paid.count,
        Number(of.paid.amount),
        Number(of.settled.amount),
      ]);
    expect(JSON.stringify(mailed)).not.toContain('4000');
    await run(new Date('2030-01-31T18:30:00Z'));
    expect(mailed.some(({ alert }) => alert.statement!.period === '2030-01')).toBe(false);
    await run(new Date('2030-02-01T00:30:00Z'));
    expect(mailed.find(({ alert }) => alert.statement!.period === '2030-01')!.alert.statement!.totals).toMatchObject([
      { paid: { amount: '4000.00' } },
    ]);
  });

  it('of two replicas in a race, of a clock that jumps and after a restart are mailed once for each person and period', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => person()));
    await Promise.all([replica(), replica(), replica()].map(each => each.run(days(1))));
    await alerts.run(days(1));
    await run(days(1, 1));
    expect(periods()).toEqual(people.map(() => '2030-01-10'));
    mailed = [];
    for (const jump of [-3, 1, 0, 1]) await run(days(jump));
    expect(mailed).toEqual([]);
    statements = replica();
    await run(days(2));
    expect(periods()).toEqual(people.map(() => '2030-01-11'));
  });

  it('after a pause come late, the last week of days in their order, and not those before', async () => {
    await person();
    for (let turn = 0; turn < 9; turn++) await run(days(20));
    expect(periods()).toEqual([23, 24, 25, 26, 27, 28, 29].map(date => `2030-01-${date}`));
  });

  it('wait for as long as no e-mail can be handed over, one for each person, and none of them is lost', async () => {
    await person();
    isMailAway = true;
    for (const day of [1, 2, 3]) await expect(run(days(day, day))).rejects.toThrow('away');
    isMailAway = false;
    for (let turn = 0; turn < 4; turn++) await run(days(3, 4));
    expect(periods()).toEqual(['2030-01-10', '2030-01-11', '2030-01-12']);
  });

  it('tell of a day without payments too, and the day that a zone skips is left out', async () => {
    await person();
    await run(days(1));
    expect(mailed[0]!.alert).toMatchObject({ kind: 'STATEMENT', payments: 0, statement: { period: '2030-01-10', totals: [] } });
    mailed = [];
    const { personId } = await person('MERCHANT', '7', { every: 'DAY', timeZone: 'Pacific/Apia' });
    await database.dataSource.query('delete from statement_choice where person_id <> $1', [personId]);
    await database.dataSource.query(`update statement_choice set last_period = '2011-12-28'`);
    for (let turn = 0; turn < 4; turn++) {
      await statements.run(new Date('2011-12-31T16:00:00Z'));
      await alerts.run(days(2));
    }
    expect(periods()).toEqual(['2011-12-29', '2011-12-31']);
  });

  it('go no more to a person who left, is not in or chose so, or of an account that is closed, and one that fails stops no other (T-29)', async () => {
    const [left, out, never] = await Promise.all([person(), person(), person()]);
    await database.dataSource.query('delete from person where person_id = $1', [left.personId]);
    await database.dataSource.query('update person set accepted_at = null where person_id = $1', [out.personId]);
    await statements.choose(never, { every: 'NEVER', timeZone: 'UTC' });
    await person('PSP', '3');
    idsOf = () => Promise.reject(new Error('away'));
    await person('MERCHANT', '8');
    await run(days(1));
    expect(mailed).toHaveLength(1);
    idsOf = () => Promise.resolve([]);
    status = 'SUSPENDED';
    await run(days(2));
    await run(days(2));
    expect(periods()).toEqual(['2030-01-10', '2030-01-10', '2030-01-11']);
    expect(await statements.choice(never.personId)).toEqual({ every: 'NEVER', timeZone: null });
    await expect(person('OPERATOR', '')).rejects.toThrow();
    await expect(
      statements.choose({ ...never, tenantType: 'OPERATOR' }, { every: 'DAY', timeZone: 'UTC' }),
    ).rejects.toMatchObject({
      status: 403,
    });
    await expect(statements.choose(never, { every: 'DAY', timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
      errors: [{ field: 'timeZone' }],
    });
  });

  it('end by the link of any of them, for that person alone, and alerts go on', async () => {
    const [one, other] = [await person(), await person('MERCHANT', '8')];
    await run(days(1));
    const secretOf = async ({ personId }: { personId: string }) => {
      const sql = `select 1 from alert_mail where person_id = $1 and token_hash = sha256($2::text::bytea)`;
      for (const { secret } of mailed)
        if ((await database.dataSource.query<object[]>(sql, [personId, secret])).length > 0) return secret;
      throw new Error('was not mailed');
    };
    const before = await alerts.choices({ ...one, role: 'OWNER' } as Parameters<AlertsService['choices']>[0]);
    const secret = await secretOf(one);
    // Another one of the same person waits.
    await statements.run(days(2));
    await alerts.stop(secret);
    await alerts.stop(secret);
    expect([await statements.choice(one.personId), await statements.choice(other.personId)]).toMatchObject([
      { every: 'NEVER' },
      { every: 'DAY' },
    ]);
    mailed = [];
    await run(days(3));
    await run(days(3));
    expect(periods()).toEqual(['2030-01-11', '2030-01-12']);
    expect(await alerts.choices({ ...one, role: 'OWNER' } as Parameters<AlertsService['choices']>[0])).toEqual(before);
  });

  it('of a person who chooses another zone or never and again are mailed once by their name', async () => {
    const one = await person();
    await run(days(1));
    await statements.choose(one, { every: 'DAY', timeZone: 'Pacific/Pago_Pago' }, days(1));
    await run(days(1, 11));
    await statements.choose(one, { every: 'NEVER', timeZone: 'UTC' }, days(1, 12));
    await statements.choose(one, { every: 'DAY', timeZone: 'UTC' }, days(1, 12));
    await run(days(1, 12));
    expect(periods()).toEqual(['2030-01-10']);
    await statements.choose(one, { every: 'MONTH', timeZone: 'UTC' }, days(2));
    await run(days(2));
    await run(days(30));
    expect(periods()).toEqual(['2030-01-10', '2030-01']);
  });
});

/** proves: T-24 */
describe('the choice of statements by e-mail', () => {
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await RunningPortal.start();
  });
  afterAll(() => portal.stop());

  const visitor = async (of: object = {}) => {
    const [email, password] = [`${randomUUID()}@shop.example`, 'a long enough sentence'];
    const tenant = { tenantType: 'MERCHANT', tenantId: '1001', role: 'VIEWER' };
    const body = JSON.stringify({ email, name: 'Thandi', password, ...tenant, ...of });
    const headers = { ...portal.operatorHeaders(), 'content-type': 'application/json' };
    expect((await fetch(`${portal.internalUrl}/internal/people`, { method: 'POST', headers, body })).status).toBe(201);
    const person = new PortalVisitor(portal);
    await person.post('session', { email, password });
    return { person, email };
  };

  it('is kept for the person alone, names what is wrong, and is not for people of the platform', async () => {
    const [{ person }, { person: other }] = [await visitor(), await visitor()];
    const wanted = { every: 'MONTH', timeZone: 'Asia/Kolkata' };
    expect((await person.post('statements/mails', wanted)).status).toBe(204);
    expect([(await person.get('statements/mails')).body, (await other.get('statements/mails')).body]).toEqual([
      wanted,
      { every: 'NEVER', timeZone: null },
    ]);
    const refused = async (body: object) => (await other.post('statements/mails', body)).body;
    expect(await refused({ every: 'YEAR', timeZone: 7 })).toMatchObject({ errors: [{ field: 'every' }, { field: 'timeZone' }] });
    expect(await refused({ every: 'DAY', timeZone: 'Mars/Olympus' })).toMatchObject({ errors: [{ field: 'timeZone' }] });
    expect((await other.get('statements?period=2026-02-31&timeZone=UTC')).body).toMatchObject({ errors: [{ field: 'period' }] });
    const { person: operator } = await visitor({ tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' });
    expect((await operator.post('statements/mails', wanted)).status).toBe(403);
  });

  it('is ended by a mail program, by the secret of a mail alone (RFC 8058)', async () => {
    const { person, email } = await visitor();
    await person.post('statements/mails', { every: 'DAY', timeZone: 'UTC' });
    const secret = randomBytes(32).toString('base64url');
    await portal.database.dataSource.query(
      `insert into alert_mail (alert_id, person_id, kind, about, token_hash, created_at)
       select gen_random_uuid(), person_id, 'STATEMENT', '{}', sha256($2::text::bytea), now() from person where email = $1`,
      [email, secret],
    );
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' };
    expect((await fetch(`${portal.publicUrl}/console/api/alerts/stop/${secret}`, init)).status).toBe(204);
    expect((await person.get('statements/mails')).body).toEqual({ every: 'NEVER', timeZone: null });
  });
});
