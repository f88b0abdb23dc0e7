import type { TestDatabase } from '@paycode/persistence/testing';
import fc from 'fast-check';
import { PaymentWriter } from '../payments/payment-writer';
import { namingDirectory, scopeOfAll, scopeOfMerchants } from '../payments/testing/scopes';
import { type ProductionPerson, productionPerson } from '../testing/production-person';
import { RunningPortal } from '../testing/running-portal';
import { csvHeader, csvLines, type DecimalMark } from '../files/domain/csv';
import { fileFormats } from '../files/file';
import { readWorkbook } from '../files/testing/read-workbook';
import { periodOf, statementColumns, type StatementLine, type StatementSums } from './domain/statement';
import { statementSql, StatementStore } from './statement.store';
import { StatementsService } from './statements.service';

const decimals: Record<string, number> = { ZAR: 2, JPY: 0, CLF: 4 };
const unitsOf = (amount: string, currency: string) => {
  const [whole = '', fraction = ''] = amount.split('.');
  expect(fraction).toHaveLength(decimals[currency]!);
  return BigInt(whole + fraction);
};
const amountOf = (units: number, currency: string) => {
  const text = String(units).padStart(decimals[currency]! + 1, '0');
  const at = text.length - decimals[currency]!;
  return decimals[currency] === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
};

const fates = ['SETTLED', 'REVERSED', 'PENDING', 'DECLINED', 'REFUND', 'REFUND FAILED', 'REVERSAL'] as const;
type Fate = (typeof fates)[number];

interface Given {
  merchantId: number;
  fate: Fate;
  currency: string;
  units: number;
  tipUnits: number;
  /** Around the month of the statement, also beyond it. */
  at: Date;
}

const given = fc.array(
  fc.record<Given>({
    merchantId: fc.constantFrom(7, 8, 9),
    fate: fc.constantFrom(...fates),
    currency: fc.constantFrom(...Object.keys(decimals)),
    units: fc.integer({ min: 1, max: 9_000_000_000_000 }),
    tipUnits: fc.integer({ min: 0, max: 500 }),
    at: fc.date({ min: new Date('2026-10-29'), max: new Date('2026-12-03'), noInvalidDate: true }),
  }),
  { maxLength: 60 },
);

const kindOf = (fate: Fate) => (fate.startsWith('REFUND') ? 'REFUND' : fate === 'REVERSAL' ? 'REVERSAL' : 'PURCHASE');
const statusOf = (fate: Fate) =>
  ({ DECLINED: 'BANK_REJECTED', REFUND: 'REFUNDED', 'REFUND FAILED': 'FAILED', REVERSAL: 'REVERSED' })[fate as string] ??
  'SUCCESS';

type Counted = 'paid' | 'settled' | 'reversed' | 'waiting' | 'refunded';
const columns: Record<Counted, Fate[]> = {
  paid: ['SETTLED', 'REVERSED', 'PENDING'],
  settled: ['SETTLED'],
  reversed: ['REVERSED'],
  waiting: ['PENDING'],
  refunded: ['REFUND'],
};
const counted = Object.keys(columns) as Counted[];

/** Sums in whole units of each column, so that no fraction is lost. */
const unitsIn = (sums: StatementSums) =>
  Object.fromEntries([
    ...counted.flatMap(name => [
      [name, sums[name].count],
      [`${name} units`, unitsOf(sums[name].amount, sums.currencyCode)],
    ]),
    ['tips', unitsOf(sums.tips, sums.currencyCode)],
  ]) as Record<string, number | bigint>;
/** A line of a file. */
const sumsIn = (cells: Record<string, string>) => {
  const { currencyCode, tips } = cells;
  const sums = counted.map(name => [name, { count: Number(cells[name]), amount: cells[`${name}Amount`] }]);
  return { currencyCode, tips, ...Object.fromEntries(sums) } as unknown as StatementSums;
};
const linesIn = {
  CSV: (bytes: Buffer) => {
    const [header, ...lines] = bytes
      .toString()
      .slice(1)
      .trimEnd()
      .split('\r\n')
      .map(line => line.split(','));
    return lines.map(cells => Object.fromEntries(header!.map((name, at) => [name, cells[at]!])));
  },
  XLSX: (bytes: Buffer) =>
    readWorkbook(bytes).lines.map(line => {
      for (const [name, cell] of Object.entries(line))
        if (/Amount|tips/.test(name)) expect(cell!.isNumber).toBe(cell!.value.replace('.', '').replace(/^0+/, '').length <= 15);
      return Object.fromEntries(Object.entries(line).map(([name, cell]) => [name, cell!.value]));
    }),
};
const added = (all: Record<string, number | bigint>[]) => {
  const total: Record<string, bigint> = {};
  for (const each of all) for (const [name, value] of Object.entries(each)) total[name] = (total[name] ?? 0n) + BigInt(value);
  return total;
};
const unitsOfGiven = (of: Given[]) =>
  added(
    of.map(({ fate, units, tipUnits }) =>
      Object.fromEntries([
        ...counted.flatMap(name => {
          const isIn = columns[name].includes(fate);
          return [
            [name, isIn ? 1 : 0],
            [`${name} units`, isIn ? units : 0],
          ];
        }),
        ['tips', fate === 'SETTLED' ? tipUnits : 0],
      ]),
    ),
  );

/** proves: T-24 */
describe('a statement for an accountant', () => {
  let portal: RunningPortal;
  let database: TestDatabase;
  let viewer: ProductionPerson;
  let statements: StatementsService;
  beforeAll(async () => {
    portal = await RunningPortal.start({ PAYCODE_ENVIRONMENT: 'production' });
    database = portal.database;
    viewer = await productionPerson(portal, 'Thandi', { tenantType: 'MERCHANT', tenantId: '7', role: 'VIEWER' });
    const directory = namingDirectory({ 7: '=Shop; "7"' });
    statements = new StatementsService(new StatementStore(database.dataSource), directory);
  });

  afterAll(() => portal.stop());

  const download = async (query: Record<string, string>) => {
    const url = `${portal.publicUrl}/console/api/statements/file?${new URLSearchParams(query).toString()}`;
    const response = await fetch(url, { headers: { cookie: viewer.visitor.cookie, 'sec-fetch-site': 'same-origin' } });
    expect([response.status, response.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="statement-${query.period}.${query.format!.toLowerCase()}"`,
    ]);
    return Buffer.from(await response.arrayBuffer());
  };

  const record = async (payments: Given[]) => {
    await database.dataSource.query('truncate payment');
    const writer = new PaymentWriter(database.dataSource);
    const rows = payments.map((payment, at) => ({ ...payment, transactionId: at + 1 }));
    await writer.terminals(
      rows.map(({ transactionId, merchantId, fate, currency, units, tipUnits, at }) => ({
        transactionId,
        merchantId,
        kind: kindOf(fate),
        status: statusOf(fate),
        // Of payments that no statement holds.
        referenceTransactionId: kindOf(fate) === 'PURCHASE' ? 0 : 1_000_000 + transactionId,
        completedAt: at.toISOString(),
        amount: amountOf(units, currency),
        currencyCode: currency,
        reference: 'r',
        code: null,
        tipAmount: amountOf(tipUnits, currency),
      })) as Parameters<PaymentWriter['terminals']>[0],
    );
    const of = (fate: Fate) => rows.filter(row => row.fate === fate);
    const acknowledgedAt = '2027-01-01T00:00:00.000Z';
    await writer.acks(
      of('SETTLED').map(row => ({ ...row, acknowledgedAt, source: 'WEBHOOK', elapsedMs: 5 })) as unknown as Parameters<
        PaymentWriter['acks']
      >[0],
    );
    await writer.reversals(
      of('REVERSED').map(row => ({ ...row, requestedAt: acknowledgedAt, reason: 'TIMEOUT' })) as unknown as Parameters<
        PaymentWriter['reversals']
      >[0],
    );
  };

  const day = (at: Date, timeZone: string) => new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at);
  const zones = ['UTC', 'Africa/Johannesburg', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kathmandu'];
  const grouped = <T>(all: T[], keyOf: (each: T) => string) =>
    new Map(Object.entries(Object.groupBy(all, keyOf)) as [string, T[]][]);

  it.each(['2026-11', '2026'])(
    'for %s: each line is what the payments of its day are, and the totals are the sums of the lines, on the page and in each file',
    async period => {
      await fc.assert(
        fc.asyncProperty(given, fc.constantFrom(...zones), async (payments, timeZone) => {
          await record(payments);
          const { lines, totals } = await statements.of(await scopeOfMerchants(7), { period, timeZone }, 'p');
          const nameOf = ({ at }: Given) => day(at, timeZone).slice(0, period === '2026' ? 7 : 10);
          const counts = payments.filter(
            payment =>
              payment.merchantId === 7 && nameOf(payment).startsWith(period) && !/DECLINED|FAILED|REVERSAL/.test(payment.fate),
          );
          const expected = grouped(counts, payment => `${nameOf(payment)} ${payment.currency}`);
          expect(lines.map(line => `${line.day} ${line.currencyCode}`).sort()).toEqual([...expected.keys()].sort());
          for (const line of lines)
            expect(added([unitsIn(line)])).toEqual(unitsOfGiven(expected.get(`${line.day} ${line.currencyCode}`)!));
          const byCurrency = grouped(lines, line => line.currencyCode);
          expect(totals.map(({ currencyCode }) => currencyCode)).toEqual([...byCurrency.keys()].sort());
          for (const total of totals)
            expect(added([unitsIn(total)])).toEqual(added(byCurrency.get(total.currencyCode)!.map(unitsIn)));
          for (const format of fileFormats) {
            const file = linesIn[format](await download({ period, timeZone, format, decimalMark: 'POINT' })).map(sumsIn);
            expect(file).toHaveLength(lines.length);
            for (const total of totals) {
              const own = file.filter(({ currencyCode }) => currencyCode === total.currencyCode);
              expect(added(own.map(unitsIn))).toEqual(added([unitsIn(total)]));
            }
          }
        }),
        { numRuns: 25 },
      );
    },
  );

  it('of several merchants has one line each and currency, and nothing of another', async () => {
    await fc.assert(
      fc.asyncProperty(given, async payments => {
        await record(payments);
        const { lines, totals } = await statements.of(await scopeOfMerchants(7, 8), { period: '2026-11', timeZone: 'UTC' }, 'p');
        expect(lines.every(({ merchantId, day: of }) => [7, 8].includes(merchantId) && of === '2026-11')).toBe(true);
        expect(new Set(lines.map(({ merchantId, currencyCode }) => `${merchantId} ${currencyCode}`)).size).toBe(lines.length);
        for (const total of totals)
          expect(added([unitsIn(total)])).toEqual(
            added(lines.filter(({ currencyCode }) => currencyCode === total.currencyCode).map(unitsIn)),
          );
      }),
      { numRuns: 15 },
    );
  });

  it('over all of the platform, of an unknown time zone, or a third at once is refused by the name of the field', async () => {
    const wanted = { period: '2026-11', timeZone: 'UTC' };
    const own = await scopeOfMerchants(7);
    await expect(statements.of(await scopeOfAll(), wanted, 'p')).rejects.toMatchObject({ errors: [{ field: 'merchantId' }] });
    await expect(statements.of(own, { ...wanted, timeZone: 'Mars/Olympus' }, 'p')).rejects.toMatchObject({
      errors: [{ field: 'timeZone' }],
    });
    const asked = await Promise.allSettled([1, 2, 3].map(() => statements.of(own, wanted, 'p')));
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    await expect(statements.of(own, wanted, 'p')).resolves.toHaveProperty('lines');
  });

  it('reads the payments of its merchant and month alone, by their index', async () => {
    await database.dataSource.query('truncate payment');
    // Every 40th is of merchant 7; a month holds a twelfth of a year.
    await database.dataSource.query(`
      insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference)
      select i, case when i % 40 = 0 then 7 else 8 end, 'PURCHASE', 'SUCCESS', 0, timestamptz '2026-01-01' + i * interval '25 minutes', 1, 'ZAR', 'r'
        from generate_series(1, 20000) i`);
    await database.dataSource.query('vacuum analyze payment');
    const { parts, endsAt } = periodOf('2026-06', 'UTC');
    const values = [[7], endsAt, parts.map(({ beginsAt }) => beginsAt), 100];
    const lines = await database.dataSource.query<{ 'QUERY PLAN': string }[]>(
      `explain (analyze, timing off, costs off) ${statementSql.lines}`,
      values,
    );
    const plan = lines.map(line => line['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index.* payment_of_merchant/);
    expect(plan).not.toMatch(/Seq Scan|Rows Removed/);
  });

  it('as a file opens in spreadsheets of either decimal mark, with no formula and no changed text in it', () => {
    const part = (amount: string) => ({ count: 1, amount });
    const line: StatementLine = {
      day: '2026-11-03',
      merchantId: 123456789012,
      merchantName: '=Shop; "7"',
      currencyCode: 'ZAR',
      paid: part('1234.50'),
      settled: part('1.00'),
      reversed: part('0.00'),
      waiting: part('5'),
      refunded: part('0.00'),
      tips: '0.10',
    };
    const fileOf = (of: DecimalMark) => csvHeader(statementColumns, of) + csvLines(statementColumns, [line], of);
    const [mark, header, comma] = fileOf('COMMA').split(/(?<=^\uFEFF)|\r\n/);
    expect([mark, header]).toEqual([
      '\uFEFF',
      'day;merchantId;merchantName;currencyCode;paid;paidAmount;settled;settledAmount;reversed;reversedAmount;waiting;waitingAmount;refunded;refundedAmount;tips',
    ]);
    expect(comma).toBe(`2026-11-03;'123456789012;"'=Shop; ""7""";ZAR;1;1234,50;1;1,00;1;0,00;1;5;1;0,00;0,10`);
    expect(fileOf('POINT').split('\r\n')[1]).toBe(
      `2026-11-03,'123456789012,"'=Shop; ""7""",ZAR,1,1234.50,1,1.00,1,0.00,1,5,1,0.00,0.10`,
    );
  });
});
