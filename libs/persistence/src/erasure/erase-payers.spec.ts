import { serializeNotification } from '@paycode/dto';
import { aNotification } from '@paycode/dto/testing';
import { ErasePayers, type ErasureOrigin, NotificationSealer, NotificationStore, type StoredNotification } from './erase-payers';

const origin: ErasureOrigin = { actor: 'operator ada', requestId: 'r-1' };

class PlainSealer extends NotificationSealer {
  seal(json: string): string {
    return json;
  }

  openText(sealed: string): string {
    return sealed;
  }
}

class ListedNotifications extends NotificationStore {
  constructor(readonly rows: StoredNotification[]) {
    super();
  }

  find(transactionIds: readonly number[]): Promise<StoredNotification[]> {
    return Promise.resolve(this.rows.filter(({ transactionId }) => transactionIds.includes(transactionId)));
  }

  async replace(
    transactionIds: readonly number[],
    _origin: ErasureOrigin,
    replace: (stored: StoredNotification) => string | undefined,
  ): Promise<StoredNotification[]> {
    const found = (await this.find(transactionIds)).map(row => ({ ...row }));
    for (const row of this.rows.filter(({ transactionId }) => transactionIds.includes(transactionId)))
      row.sealed = replace(row) ?? row.sealed;
    return found;
  }

  page(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

function stored(transactionId: number, changes: Partial<StoredNotification> = {}): StoredNotification {
  const sealed = serializeNotification(aNotification({ transactionId, clientMsisdn: '+27831112222', reference: 'order-1' }));
  return { transactionId, merchantId: 1001, storedAt: new Date(0), sealed, isDecided: true, relatedIds: [], ...changes };
}

describe('a batch of erasures (T-43, T-29)', () => {
  it('erases the others when one notification breaks a newer rule, and leaves that one unchanged', async () => {
    const beforeTheRule = stored(2).sealed.replace('order-1', '4111111111111111');
    const store = new ListedNotifications([stored(1), stored(2, { sealed: beforeTheRule }), stored(3, { sealed: 'no JSON' })]);
    const erasing = new ErasePayers(store, new PlainSealer());

    const items = await erasing.erase([1, 2, 3, 9], origin);

    expect(items.map(({ state }) => state)).toEqual(['ERASED', 'UNREADABLE', 'UNREADABLE', 'UNKNOWN']);
    expect(store.rows.map(({ sealed }) => sealed.includes('27831112222'))).toEqual([false, true, false]);
    expect([store.rows[1]!.sealed, store.rows[2]!.sealed]).toEqual([beforeTheRule, 'no JSON']);
  });

  it('leaves undecided payments, and changes nothing the second time', async () => {
    const store = new ListedNotifications([stored(1), stored(2, { isDecided: false })]);
    const erasing = new ErasePayers(store, new PlainSealer());
    const first = await erasing.erase([1, 2], origin);
    const after = store.rows.map(({ sealed }) => sealed);
    expect(first.map(({ state }) => state)).toEqual(['ERASED', 'UNDECIDED']);
    expect((await erasing.erase([1, 2], origin)).map(({ state }) => state)).toEqual(['ERASED', 'UNDECIDED']);
    expect(store.rows.map(({ sealed }) => sealed)).toEqual(after);
  });
});
