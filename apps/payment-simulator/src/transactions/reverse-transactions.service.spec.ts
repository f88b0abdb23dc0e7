import type { PayloadSealer } from '@paycode/crypto';
import { parseNotification } from '@paycode/dto';
import { notificationSamples } from '@paycode/dto/testing';
import { DataFault } from '@paycode/persistence';
import { SystemClock } from '@paycode/service-runtime/timing';
import type { CompletedTransaction, StoredTransaction } from './domain/transaction';
import { ReverseTransactionsService } from './reverse-transactions.service';
import type { TransactionStore } from './transaction.store';

/** Original transactions in memory; a reversal changes them as it does in the database. */
class Originals implements Pick<TransactionStore, 'nextIds' | 'follow'> {
  readonly recorded: CompletedTransaction[] = [];
  private nextId = 100;

  constructor(private readonly originals: Map<number, StoredTransaction>) {}

  nextIds = async (count: number) => Array.from({ length: count }, () => this.nextId++);

  async follow(ids: readonly number[], follow: Parameters<TransactionStore['follow']>[1]): Promise<void> {
    for (const made of follow(new Map([...this.originals].filter(([id]) => ids.includes(id))))) {
      const original = this.originals.get(made.referenceTransactionId)!;
      original.reversal = { transactionId: made.transactionId, txState: made.txState };
      this.recorded.push(made);
    }
  }
}

const plain = { seal: (json: string) => json, openText: (text: string) => text } as PayloadSealer;

const notification = notificationSamples()['purchase-success']!;
const purchase = (transactionId: number, over: Partial<StoredTransaction> = {}): StoredTransaction => ({
  transactionId,
  merchantId: 1001,
  idempotencyKey: null,
  kind: 'PURCHASE',
  txState: 'SUCCESS',
  reference: 'order-1',
  amount: '110.10',
  currencyCode: 'ZAR',
  code: null,
  referenceTransactionId: 0,
  completedAt: '2026-01-01T00:00:00.000Z',
  notification,
  reversal: null,
  refunds: [],
  ...over,
});
const requests = (...ids: number[]) => ids.map(transactionId => ({ transactionId }));
const none = { reversed: 0, repeated: 0, failed: [], unknown: [] };

describe('reversals of the simulator', () => {
  let store: Originals;
  let reversing: ReverseTransactionsService;

  beforeEach(() => {
    const refunded = { refunds: [{ transactionId: 9, txState: 'END_REFUNDED', amount: '1' }] };
    const originals = [purchase(1), purchase(2), purchase(3, refunded), purchase(4, { kind: 'REFUND' })];
    store = new Originals(new Map(originals.map(original => [original.transactionId, original])));
    reversing = new ReverseTransactionsService(store as unknown as TransactionStore, plain, new SystemClock());
  });

  it('a request that comes again, in one batch or later, reverses nothing again and is counted as repeated (P-I2, A-04)', async () => {
    expect(await reversing.reverse(requests(1, 1, 2))).toEqual({ ...none, reversed: 2 });
    expect(await reversing.reverse(requests(1))).toEqual({ ...none, repeated: 1 });
    expect(await reversing.reverse(requests(2, 1))).toEqual({ ...none, repeated: 2 });
    expect(store.recorded.map(({ referenceTransactionId }) => referenceTransactionId)).toEqual([1, 2]);
  });

  it('transactions that cannot be reversed are named once and do not delay the others (A-02)', async () => {
    expect(await reversing.reverse(requests(3, 4, 5, 1))).toEqual({ reversed: 1, repeated: 0, failed: [3], unknown: [4, 5] });
    expect(await reversing.reverse(requests(3))).toEqual({ ...none, repeated: 1 });
    expect(await reversing.reverse([])).toEqual(none);
  });

  it('an original that cannot be read fails its own request; the others of the batch are done (T-29)', async () => {
    store = new Originals(new Map([[1, purchase(1, { notification: 'no notification' })]]));
    reversing = new ReverseTransactionsService(store as unknown as TransactionStore, plain, new SystemClock());
    await expect(reversing.reverse(requests(1))).rejects.toThrow(DataFault);
    expect(store.recorded).toEqual([]);
  });

  it('regression: a payment is reversed also when its reference is a card number by a rule that came later (R-3.1-2, A-75)', async () => {
    const earlier = notification.replace(/"reference":"[^"]*"/, '"reference":"PAN4111111111111111"');
    expect(earlier).toContain('PAN4111');
    store = new Originals(new Map([[1, purchase(1, { notification: earlier })]]));
    reversing = new ReverseTransactionsService(store as unknown as TransactionStore, plain, new SystemClock());
    expect(await reversing.reverse(requests(1))).toEqual({ ...none, reversed: 1 });
  });

  it('the reversal is a transaction of its own that names its original (R-2.5-10, R-3.1-6)', async () => {
    await reversing.reverse(requests(1));
    const [made] = store.recorded;
    expect(made).toMatchObject({ transactionId: 100, kind: 'REVERSAL', txState: 'END_REVERSED', referenceTransactionId: 1 });
    expect(parseNotification(made!.notification)).toMatchObject({ transactionId: 100, status: 'REVERSED', amount: '110.10' });
  });
});
