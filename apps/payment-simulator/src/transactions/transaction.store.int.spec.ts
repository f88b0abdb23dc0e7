import { outboxEventsSql } from '@paycode/events/testing';
import { testDatabaseForEach } from '@paycode/persistence/testing';
import { noTracing } from '@paycode/service-runtime/tracing';
import { migrations } from '../../migrations';
import type { CompletedTransaction } from './domain/transaction';
import { TransactionStore } from './transaction.store';

const purchase = (transactionId: number, over: Partial<CompletedTransaction> = {}): CompletedTransaction => ({
  transactionId,
  merchantId: 1001,
  idempotencyKey: null,
  kind: 'PURCHASE',
  txState: 'SUCCESS',
  status: 'SUCCESS',
  reference: `order-${transactionId}`,
  amount: '110.10',
  currencyCode: 'ZAR',
  code: null,
  referenceTransactionId: 0,
  completedAt: '2026-01-01T00:00:00.000Z',
  notification: 'sealed',
  ...over,
});

describe('the store of transactions', () => {
  let store: TransactionStore;
  let wakes: number;
  const database = testDatabaseForEach({ migrations });
  beforeEach(() => {
    wakes = 0;
    store = new TransactionStore(database.dataSource, () => wakes++, noTracing);
  });

  const record = (transaction: CompletedTransaction) => store.record([transaction]);
  const column = async (text: string) =>
    (await database.dataSource.query<{ value: string }[]>(text)).map(({ value }) => Number(value));
  const stored = () => column('select transaction_id as value from transaction order by transaction_id');
  const announced = () => column(`select aggregateid as value from (${outboxEventsSql}) announced`);

  it('calls that come while one is being written share the next commit, with rows and events in their order (P-I10)', async () => {
    await Promise.all([1, 2, 3, 4, 5].map(id => record(purchase(id))));
    expect([await stored(), await announced()]).toEqual([
      [1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
    const commits = await column(
      'select count(distinct xmin::text) as value from (select xmin from transaction union select xmin from outbox)',
    );
    expect([commits, wakes]).toEqual([[2], 2]);
  });

  it('a purchase that cannot be stored fails alone; nothing of it is announced (T-29)', async () => {
    const calls = [purchase(1), purchase(2), purchase(3, { amount: 'no number' }), purchase(4), purchase(2)].map(record);
    const ends = (await Promise.allSettled(calls)).map(({ status }) => status);
    expect(ends).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect([await stored(), await announced()]).toEqual([
      [1, 2, 4],
      [1, 2, 4],
    ]);
  });

  it('concurrent calls draw ids together, each its own, ascending', async () => {
    const drawn = await Promise.all([store.nextIds(1), store.nextIds(3), store.nextIds(2)]);
    expect(drawn.map(ids => ids.length)).toEqual([1, 3, 2]);
    for (const ids of drawn) expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(drawn.flat()).size).toBe(6);
  });
});
