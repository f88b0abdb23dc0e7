import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../../migrations';
import type { MerchantDirectory } from '../../tenancy';
import { Scope } from '../../tenancy';
import type { PaymentFilter, TerminalFacts } from '../payments.ports';
import { PostgresPaymentReader } from './postgres-payment-reader';
import { PostgresPaymentWriter } from './postgres-payment-writer';

const everything: PaymentFilter = { search: null, outcome: null, status: null, from: null, to: null, after: null, limit: 100 };
const completedAt = '2030-01-01T10:00:00.000Z';
const person = { personId: 'p', email: 'p@x.example', name: 'P', role: 'OWNER', hasTotp: false } as const;
const directory = { merchantsOf: () => Promise.reject(new Error('not asked')) } as unknown as MerchantDirectory;
const scopeOf = (merchantId: number) => Scope.of({ ...person, tenantType: 'MERCHANT', tenantId: String(merchantId) }, directory);

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
  ...over,
});

describe('the read model of payments', () => {
  let database: TestDatabase;
  let writer: PostgresPaymentWriter;
  let reader: PostgresPaymentReader;
  let lastId = 100;
  beforeAll(async () => {
    database = await createTestDatabase({ migrations });
    writer = new PostgresPaymentWriter(database.dataSource);
    reader = new PostgresPaymentReader(database.dataSource);
  });
  afterAll(() => database.drop());

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
  });
  type Step = keyof ReturnType<typeof stepsOf>;
  const orders: [string, Step[], object][] = [
    ['paid', ['paid'], { outcome: 'PENDING', acknowledgedAt: null }],
    ['paid, acknowledged', ['paid', 'acknowledged'], { outcome: 'SETTLED', ackElapsedMs: 12 }],
    ['acknowledged, paid', ['acknowledged', 'paid'], { outcome: 'SETTLED', ackElapsedMs: 12, amount: '25.500' }],
    ['paid, ordered, returned', ['paid', 'ordered', 'returned'], { outcome: 'REVERSED', reversalReason: 'NON_200' }],
    ['returned, ordered, paid', ['returned', 'ordered', 'paid'], { outcome: 'REVERSED', reversalReason: 'NON_200' }],
    ['returned, paid', ['returned', 'paid'], { outcome: 'REVERSED', reversalReason: null }],
    ['everything twice', ['paid', 'acknowledged', 'paid', 'acknowledged'], { outcome: 'SETTLED' }],
  ];

  it.each(orders)('%s: the same payment whatever the order, and however often', async (...row) => {
    const [, order, expected] = row;
    const transactionId = (lastId += 2);
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

  it('answers no question outside the scope (T-24)', async () => {
    await writer.terminals([terminal({ transactionId: 5_001, merchantId: 8, reference: 'theirs' })]);
    const mine = await scopeOf(7);
    expect(await reader.find(mine, 5_001)).toBeUndefined();
    expect(await reader.list(mine, { ...everything, search: 'theirs' })).toEqual([]);
    expect(await reader.list(mine, { ...everything, search: '5001' })).toEqual([]);
    expect(() => mine.narrowedTo(8)).toThrow('not yours');
    expect(await reader.sums(await scopeOf(8), '2029-01-01T00:00:00.000Z')).toEqual([
      { outcome: 'PENDING', currencyCode: 'ZAR', count: 1, amount: '25.500' },
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
    const several = {
      merchantsOf: () => Promise.resolve(merchants.map(merchantId => ({ merchantId }))),
    } as unknown as MerchantDirectory;
    const scope = await Scope.of({ ...person, tenantType: 'PSP', tenantId: '3' }, several);
    for (const [of, count] of [
      [scope, 60],
      [await scopeOf(22), 20],
    ] as const) {
      const seen: number[] = [];
      for (let after: PaymentFilter['after'] = null; ;) {
        const page = await reader.list(of, { ...everything, after, limit: 7 });
        seen.push(...page.map(({ transactionId }) => transactionId));
        const last = page.at(-1);
        if (!last) break;
        after = last;
      }
      expect([seen.length, new Set(seen).size]).toEqual([count, count]);
      expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    }
  });
});
