import { testDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { HomeReader } from '../home/home-reader';
import { pageKeyAt } from '../page-cursor';
import type { Scope } from '../tenancy/scope';
import { type PaymentFilter, PaymentReader } from './payment-reader';
import { PaymentWriter, type TerminalFacts, writeSql } from './payment-writer';
import { scopeOfAll, scopeOfMerchants } from './testing/scopes';

const everything: PaymentFilter = {
  search: null,
  outcome: null,
  status: null,
  answer: null,
  amount: null,
  from: null,
  to: null,
  after: null,
  before: null,
  hasNotices: false,
  limit: 100,
};
const completedAt = '2030-01-01T10:00:00.000Z';
const scopeOf = (merchantId: number) => scopeOfMerchants(merchantId);

const terminal = (over: Partial<TerminalFacts>): TerminalFacts => ({
  transactionId: 1,
  merchantId: 7,
  kind: 'PURCHASE',
  status: 'SUCCESS',
  referenceTransactionId: 0,
  completedAt,
  amount: '25.50',
  currencyCode: 'ZAR',
  reference: 'order-1',
  code: '0000000001',
  tipAmount: null,
  ...over,
});

describe('the read model of payments', () => {
  const database = testDatabase({ migrations });
  let writer: PaymentWriter;
  let reader: PaymentReader;
  let home: HomeReader;
  let lastId = 100;
  beforeAll(async () => {
    writer = new PaymentWriter(database.dataSource);
    reader = new PaymentReader(database.dataSource);
    home = new HomeReader(database.dataSource);
  });

  it('a payment ends after its retention, with what its reversal wrote', async () => {
    const dayMs = 86_400_000;
    const at = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
    const notice = { status: 'LIMIT_FAILED' } as const;
    await writer.terminals([
      terminal({ transactionId: 9_001, completedAt: at(401), ...notice }),
      terminal({ transactionId: 9_002, completedAt: at(401) }),
      terminal({ transactionId: 9_003, completedAt: at(399), ...notice }),
      terminal({
        transactionId: 9_005,
        completedAt: at(401),
        kind: 'REVERSAL',
        status: 'REVERSED',
        referenceTransactionId: 9_004,
      }),
    ]);
    await database.dataSource.query(
      `insert into payment (transaction_id, merchant_id, kind, status, completed_at)
       select n, 8, 'PURCHASE', 'FAIL', clock_timestamp() from generate_series(20000, 40000) n`,
    );
    await database.dataSource.query('analyze payment');
    const plan = await database.dataSource.query<unknown[]>(`explain (format json) ${writeSql.purge}`, [400 * dayMs, 5_000]);
    expect(JSON.stringify(plan)).not.toContain('"Seq Scan"');
    await writer.purge(400 * dayMs);
    await database.dataSource.query('delete from payment where transaction_id >= 20000');
    const rows = await database.dataSource.query<{ id: string }[]>(
      'select transaction_id as id from payment where transaction_id > 9000 order by 1',
    );
    expect(rows.map(({ id }) => Number(id))).toEqual([9_003]);
    await database.dataSource.query('delete from payment');
  });

  const stepsOf = (transactionId: number) => ({
    paid: () => writer.terminals([terminal({ transactionId })]),
    acknowledged: () =>
      writer.acks([
        {
          transactionId,
          merchantId: 7,
          source: 'WEBHOOK',
          attempt: 1,
          elapsedMs: 12,
          acknowledgedAt: '2030-01-01T10:00:01.000Z',
        },
      ]),
    ordered: () =>
      writer.reversals([{ transactionId, merchantId: 7, reason: 'NON_200', requestedAt: '2030-01-01T10:00:02.000Z' }]),
    returned: () =>
      writer.terminals([
        terminal({
          transactionId: transactionId + 1,
          kind: 'REVERSAL',
          status: 'REVERSED',
          referenceTransactionId: transactionId,
        }),
      ]),
    notReturned: () =>
      writer.terminals([
        terminal({ transactionId: transactionId + 1, kind: 'REVERSAL', status: 'FAILED', referenceTransactionId: transactionId }),
      ]),
    returnedLater: () =>
      writer.terminals([
        terminal({
          transactionId: transactionId + 2,
          kind: 'REVERSAL',
          status: 'REVERSED',
          referenceTransactionId: transactionId,
        }),
      ]),
  });
  type Step = keyof ReturnType<typeof stepsOf>;
  const orders: [string, Step[], object][] = [
    ['paid', ['paid'], { outcome: 'PENDING', acknowledgedAt: null }],
    ['paid, acknowledged', ['paid', 'acknowledged'], { outcome: 'SETTLED', ackElapsedMs: 12 }],
    ['acknowledged, paid', ['acknowledged', 'paid'], { outcome: 'SETTLED', ackElapsedMs: 12, amount: '25.50' }],
    ['paid, ordered, returned', ['paid', 'ordered', 'returned'], { outcome: 'REVERSED', reversalReason: 'NON_200' }],
    ['returned, ordered, paid', ['returned', 'ordered', 'paid'], { outcome: 'REVERSED', reversalReason: 'NON_200' }],
    ['returned, paid', ['returned', 'paid'], { outcome: 'REVERSED', reversalReason: null }],
    // The core could not give the money back: the payment stands.
    [
      'paid, ordered, not returned',
      ['paid', 'ordered', 'notReturned'],
      { outcome: 'SETTLED', answer: 'NON_200', reversedBy: null },
    ],
    ['not returned, ordered, paid', ['notReturned', 'ordered', 'paid'], { outcome: 'SETTLED', answer: 'NON_200' }],
    ['acknowledged, not returned', ['paid', 'acknowledged', 'notReturned'], { outcome: 'SETTLED', answer: 'HTTP_200' }],
    ['not returned, paid', ['notReturned', 'paid'], { outcome: 'PENDING', reversedBy: null }],
    ['not returned, then returned', ['paid', 'ordered', 'notReturned', 'returnedLater'], { outcome: 'REVERSED' }],
    ['everything twice', ['paid', 'acknowledged', 'paid', 'acknowledged'], { outcome: 'SETTLED' }],
  ];

  it.each(orders)('%s: the same payment whatever the order, and however often', async (...row) => {
    const [, order, expected] = row;
    const transactionId = (lastId += 3);
    const steps = stepsOf(transactionId);
    for (const step of order) await steps[step]();
    expect(await reader.find(await scopeOf(7), transactionId)).toMatchObject({ transactionId, completedAt, ...expected });
  });

  it('of the same event with other data the first counts, in one batch and over batches', async () => {
    const transactionId = (lastId += 2);
    await writer.terminals([terminal({ transactionId, reference: 'first' }), terminal({ transactionId, reference: 'second' })]);
    await writer.terminals([terminal({ transactionId, reference: 'third' })]);
    expect(await reader.find(await scopeOf(7), transactionId)).toMatchObject({ reference: 'first' });
  });

  it('shows nobody what only an acknowledgement knows of', async () => {
    const transactionId = (lastId += 2);
    await stepsOf(transactionId).acknowledged();
    expect(await reader.find(await scopeOf(7), transactionId)).toBeUndefined();
  });

  it('regression: amounts have the decimals of their currency, in the list and in sums, and none is rounded (A-57)', async () => {
    const of = { merchantId: 43, completedAt: '2034-01-02T10:00:00.000Z' };
    await writer.terminals([
      terminal({ ...of, transactionId: 8_101, amount: '10', currencyCode: 'ZAR' }),
      terminal({ ...of, transactionId: 8_102, amount: '25.5', currencyCode: 'ZAR' }),
      terminal({ ...of, transactionId: 8_103, amount: '500', currencyCode: 'JPY' }),
      terminal({ ...of, transactionId: 8_104, amount: '10.5', currencyCode: 'HUF' }),
      terminal({ ...of, transactionId: 8_105, amount: '1.5', currencyCode: 'KWD' }),
      terminal({ ...of, transactionId: 8_106, amount: '0.1234', currencyCode: 'CLF' }),
    ]);
    const scope = await scopeOf(43);
    const found = await reader.list(scope, everything);
    expect(found.map(({ amount, currencyCode }) => `${amount} ${currencyCode}`).reverse()).toEqual([
      ...['10.00 ZAR', '25.50 ZAR', '500 JPY', '10.50 HUF', '1.500 KWD', '0.1234 CLF'],
    ]);
    const sums = await home.sums(scope, of.completedAt);
    expect(sums.map(({ amount, currencyCode }) => `${amount} ${currencyCode}`)).toEqual([
      ...['0.1234 CLF', '10.50 HUF', '500 JPY', '1.500 KWD', '35.50 ZAR'],
    ]);
    expect(await home.sums(scope, '2029-01-01T00:00:00.000Z', of.completedAt)).toEqual([]);
    expect((await reader.list(scope, { ...everything, amount: '0.1234' })).map(({ transactionId }) => transactionId)).toEqual([
      8_106,
    ]);
  });

  it.each([['payments first'], ['notices first']])(
    'a payment is one line with its reversal and refunds in it: %s',
    async order => {
      const of = { merchantId: order === 'payments first' ? 44 : 45 };
      const first = (lastId += 20);
      const [reversed, refunded, plain, twice] = [first, first + 1, first + 2, first + 3];
      const payments = [reversed, refunded, plain, twice].map(transactionId => terminal({ ...of, transactionId }));
      const notice = (at: number, referenceTransactionId: number, over: Partial<TerminalFacts>) =>
        terminal({ ...of, transactionId: first + at, referenceTransactionId, kind: 'REFUND', status: 'REFUNDED', ...over });
      const notices = [
        notice(10, reversed, { kind: 'REVERSAL', status: 'REVERSED', completedAt: '2030-01-01T10:00:45.000Z' }),
        notice(11, refunded, { amount: '9', completedAt: '2030-01-02T10:00:00.000Z' }),
        notice(12, twice, { amount: '1.10', completedAt: '2030-01-03T10:00:00.000Z' }),
        notice(13, twice, { amount: '2.20', completedAt: '2030-01-04T10:00:00.000Z' }),
        notice(14, plain, { status: 'BANK_REJECTED' }),
      ];
      const batches = [payments, notices.slice(0, 3), notices.slice(3)];
      for (const batch of order === 'payments first' ? batches : batches.reverse()) await writer.terminals(batch);
      const scope = await scopeOf(of.merchantId);
      const wanted = { ...everything, limit: 10 };
      const lines = await reader.list(scope, wanted);
      expect(
        lines.map(each => [each.transactionId, each.outcome, each.returnedAt, each.refundedAmount, each.refundedAt]),
      ).toEqual([
        [twice, 'PENDING', null, '3.30', '2030-01-04T10:00:00.000Z'],
        [plain, 'PENDING', null, null, null],
        [refunded, 'PENDING', null, '9.00', '2030-01-02T10:00:00.000Z'],
        [reversed, 'REVERSED', '2030-01-01T10:00:45.000Z', null, null],
      ]);
      const ids = async (filter: Partial<PaymentFilter>) =>
        (await reader.list(scope, { ...wanted, ...filter })).map(({ transactionId }) => transactionId - first);
      expect(await ids({ outcome: 'REFUNDED' })).toEqual([3, 1]);
      expect(await ids({ status: 'REFUNDED' })).toEqual([]);
      // A file, and programs, have a line for each of them.
      expect(await ids({ hasNotices: true, status: 'REFUNDED' })).toEqual([13, 12, 11]);
      expect((await reader.noticesOf(scope, twice)).map(({ transactionId }) => transactionId - first)).toEqual([12, 13]);
      expect(await reader.noticesOf(await scopeOf(7), twice)).toEqual([]);
      expect(await reader.totals(scope, wanted)).toEqual([
        { outcome: 'PENDING', currencyCode: 'ZAR', count: 3, amount: '76.50', refunded: 2, refundedAmount: '12.30' },
        { outcome: 'REVERSED', currencyCode: 'ZAR', count: 1, amount: '25.50', refunded: 0, refundedAmount: '0.00' },
      ]);
    },
  );

  it('adds up what is looked for, of one merchant, of several and of all, and no more than 5,001 payments', async () => {
    const fill = `
      insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference)
      select 1000000 + i, 51 + i % 2, 'PURCHASE', 'SUCCESS', 0, timestamptz '2020-01-01' + i * interval '1 second', 1, 'ZAR', 'Order-' || i
        from generate_series(1, 20010) i`;
    await database.dataSource.query(fill);
    const counted = async (scope: Scope, filter: Partial<PaymentFilter>) =>
      (await reader.totals(scope, { ...everything, to: '2021-01-01T00:00:00.000Z', ...filter })).map(({ count, amount }) => [
        count,
        amount,
      ]);
    for (const scope of [await scopeOf(51), await scopeOfMerchants(51, 52), await scopeOfAll()]) {
      expect(await counted(scope, {})).toEqual([[5_001, '5001.00']]);
      expect(await counted(scope, { status: 'SUCCESS', to: '2020-01-01T00:00:21.000Z' })).toEqual([
        scope.has(52) ? [20, '20.00'] : [10, '10.00'],
      ]);
    }
    // A text that too many begin with is looked for as a whole.
    const both = await scopeOfMerchants(51, 52);
    expect(await reader.searchFor(both, 'order-')).toEqual({ whole: 'order-' });
    expect(await reader.searchFor(both, 'order-1999')).toMatchObject({ transactionIds: { length: 11 } });
    expect(await reader.list(both, { ...everything, search: { whole: 'ORDER-7' } })).toMatchObject([{ reference: 'Order-7' }]);
  });

  it('answers no question outside the scope (T-24)', async () => {
    await writer.terminals([terminal({ transactionId: 5_001, merchantId: 8, reference: 'theirs' })]);
    const mine = await scopeOf(7);
    expect(await reader.find(mine, 5_001)).toBeUndefined();
    for (const text of ['theirs', 'their', '5001', '500'])
      expect(await reader.searchFor(mine, text)).toEqual({ transactionIds: [] });
    for (const search of [{ whole: 'theirs' }, { whole: '5001' }, { transactionIds: ['5001'] }])
      expect([await reader.list(mine, { ...everything, search }), await reader.totals(mine, { ...everything, search })]).toEqual([
        [],
        [],
      ]);
    expect(() => mine.narrowedTo(8)).toThrow('not yours');
    expect(await home.sums(await scopeOf(8), '2029-01-01T00:00:00.000Z')).toEqual([
      { outcome: 'PENDING', currencyCode: 'ZAR', count: 1, amount: '25.50' },
    ]);
  });

  it('pages by time and id: nothing twice, nothing left out, of one merchant and of several', async () => {
    const merchants = [21, 22, 23];
    const rows = Array.from({ length: 60 }, (_, at) =>
      terminal({
        transactionId: 9_000 + at,
        merchantId: merchants[at % 3]!,
        completedAt: new Date(Date.UTC(2031, 0, 1) + Math.floor(at / 7)).toISOString(),
      }),
    );
    await writer.terminals(rows);
    const scope = await scopeOfMerchants(...merchants);
    for (const [of, count] of [
      [scope, 60],
      [await scopeOf(22), 20],
    ] as const) {
      const seen: number[] = [];
      const backwards: number[] = [];
      for (let after: PaymentFilter['after'] = null; ;) {
        const page = await reader.list(of, { ...everything, after, limit: 7 });
        seen.push(...page.map(({ transactionId }) => transactionId));
        const last = page.at(-1);
        if (!last) break;
        after = pageKeyAt(last);
      }
      for (let before = pageKeyAt({ completedAt: '2000-01-01T00:00:00.000Z', transactionId: 1 }); ;) {
        const page = await reader.list(of, { ...everything, before, limit: 7 });
        backwards.unshift(...page.map(({ transactionId }) => transactionId));
        const [first] = page;
        if (!first) break;
        before = pageKeyAt(first);
      }
      expect(backwards).toEqual(seen);
      expect([seen.length, new Set(seen).size]).toEqual([count, count]);
      expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    }
  });

  it('a page ends between two payments of one millisecond, and neither is lost', async () => {
    const at = (micro: number) => `2032-01-01T10:00:00.000${micro}Z`;
    await writer.terminals(
      [1, 2, 3].map(each => terminal({ transactionId: 7_000 + each, merchantId: 31, completedAt: at(100 * each) })),
    );
    const mine = await scopeOf(31);
    const [first] = await reader.list(mine, { ...everything, limit: 1 });
    const others = await reader.list(mine, { ...everything, after: pageKeyAt(first!) });
    expect([first, ...others].map(payment => payment!.transactionId)).toEqual([7_003, 7_002, 7_001]);
  });

  it('finds payments by outcome, status, answer, amount, day, and by two of them; another merchant finds none of them (T-24)', async () => {
    const ids = { settled: 8_001, failed: 8_003, refused: 8_005, read: 8_007, stands: 8_009, notReturned: 8_011 };
    const of = { merchantId: 41, completedAt: '2033-01-02T10:00:00.000Z' };
    await writer.terminals([
      terminal({ ...of, transactionId: ids.settled, amount: '12.30', reference: 'till', code: 'till' }),
      terminal({ ...of, transactionId: ids.failed, status: 'BANK_REJECTED', reference: 'till' }),
      terminal({ ...of, transactionId: ids.refused, amount: '12.3', reference: '8007' }),
      terminal({ ...of, transactionId: ids.read, completedAt: '2033-01-03T10:00:00.000Z', amount: '0.001', code: '8001' }),
      terminal({ ...of, transactionId: ids.stands, completedAt: '2033-01-01T10:00:00.000Z' }),
      terminal({
        ...of,
        transactionId: ids.notReturned,
        completedAt: '2033-01-01T10:00:01.000Z',
        kind: 'REVERSAL',
        status: 'FAILED',
        referenceTransactionId: ids.stands,
      }),
    ]);
    const ack = { merchantId: 41, attempt: 1, elapsedMs: 12, acknowledgedAt: of.completedAt };
    await writer.acks([
      { ...ack, transactionId: ids.settled, source: 'WEBHOOK' },
      { ...ack, transactionId: ids.read, source: 'RECOVERY', elapsedMs: null },
    ]);
    await writer.reversals(
      [ids.refused, ids.stands].map(id => ({
        transactionId: id,
        merchantId: 41,
        reason: 'NON_200',
        requestedAt: of.completedAt,
      })),
    );
    type Asked = Partial<Omit<PaymentFilter, 'search'>> & { search?: string };
    const listed = async (scope: Scope, { search, ...filter }: Asked) =>
      reader.list(scope, {
        ...everything,
        ...filter,
        search: search === undefined ? null : await reader.searchFor(scope, search),
      });
    const found = async (merchantId: number, filter: Asked) =>
      (await listed(await scopeOf(merchantId), filter)).map(({ transactionId }) => transactionId);
    const cases: [Asked, number[]][] = [
      [{ outcome: 'SETTLED' }, [ids.read, ids.settled, ids.stands]],
      [{ outcome: 'SETTLED', answer: 'NON_200' }, [ids.stands]],
      [{ outcome: 'REVERSED' }, [ids.refused]],
      [{ status: 'BANK_REJECTED' }, [ids.failed]],
      [{ answer: 'HTTP_200' }, [ids.settled]],
      [{ answer: 'READ' }, [ids.read]],
      [{ answer: 'NON_200' }, [ids.refused, ids.stands]],
      [{ amount: '12.3' }, [ids.refused, ids.settled]],
      [{ amount: '0.001' }, [ids.read]],
      [{ amount: '12.3', outcome: 'REVERSED' }, [ids.refused]],
      [{ from: '2033-01-03T00:00:00.000Z' }, [ids.read]],
      [{ to: '2033-01-03T00:00:00.000Z', answer: 'HTTP_200' }, [ids.settled]],
      // By reference and code alike, once each; by the id of one, the reference of another and the code of a third.
      [{ search: 'till' }, [ids.failed, ids.settled]],
      [{ search: '8001' }, [ids.read, ids.settled]],
      [{ search: '8007' }, [ids.read, ids.refused]],
      [{ search: '8007', outcome: 'SETTLED' }, [ids.read]],
      // By their beginning, in any case; %, _ and what stands last in an alphabet are letters as others are.
      [{ search: 'TIL' }, [ids.failed, ids.settled]],
      [{ search: '800' }, [ids.read, ids.refused, ids.failed, ids.settled, ids.stands]],
      [{ search: 'ill' }, []],
      [{ search: 'ti%' }, []],
      [{ search: 'til_' }, []],
      // The id of a notice leads to its payment.
      [{ search: String(ids.notReturned) }, [ids.stands]],
    ];
    const lost = async (merchantId: number) => home.lost(await scopeOf(merchantId), '2033-01-01T00:00:00.000Z');
    expect([await lost(41), await lost(42)]).toEqual([
      [
        {
          answer: 'NON_200',
          transactionId: ids.refused,
          currencyCode: 'ZAR',
          count: 1,
          amount: '12.30',
          firstAt: of.completedAt,
          lastAt: of.completedAt,
        },
      ],
      [],
    ]);
    for (const [filter, expected] of cases) {
      expect([filter, await found(41, filter)]).toEqual([filter, expected]);
      expect([filter, await found(42, filter)]).toEqual([filter, []]);
      const byOperator = (await listed(await scopeOfAll(), filter)).filter(({ merchantId }) => merchantId === 41);
      expect([filter, byOperator.map(({ transactionId }) => transactionId)]).toEqual([filter, expected]);
    }
  });
});
