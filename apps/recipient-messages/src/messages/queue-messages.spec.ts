import type { InternalClient } from '@paycode/access';
import { noRecipients, type RoutesRequest } from '@paycode/dto';
import { DataFault } from '@paycode/persistence';
import { RecipientDirectory } from './queue-messages';

const recipients = { ...noRecipients, EMAIL: ['shop@example.com'] };

describe('recipients of merchants', () => {
  let asked: number[][];
  let answer: (merchantIds: number[]) => Promise<unknown>;
  const post: InternalClient['post'] = <T>(_path: string, body: unknown) => {
    const { merchantIds } = body as RoutesRequest;
    asked.push(merchantIds);
    return answer(merchantIds) as Promise<T>;
  };
  const routes = (merchantIds: number[]) => merchantIds.map(merchantId => ({ merchantId, recipients, leaseMs: 60_000 }));
  beforeEach(() => (asked = []));

  it('regression: partitions that ask while notification-config is slow share its calls', async () => {
    const slow = Promise.withResolvers<void>();
    answer = merchantIds => slow.promise.then(() => routes(merchantIds));
    const directory = new RecipientDirectory({ post });
    const partitions = Array.from({ length: 64 }, (_, n) => directory.recipientsOf([1, 2 + (n % 8)]));
    slow.resolve();
    for (const answered of await Promise.all(partitions)) expect(answered.get(1)).toEqual(recipients);
    expect(asked.flat().sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('a merchant that the answer lacks is a fault of its own event; a call that fails is not (T-29)', async () => {
    answer = merchantIds => Promise.resolve(routes(merchantIds.filter(merchantId => merchantId !== 2)));
    const directory = new RecipientDirectory({ post });
    await expect(directory.recipientsOf([1, 2])).rejects.toBeInstanceOf(DataFault);
    const away = new Error('away');
    answer = () => Promise.reject(away);
    await expect(directory.recipientsOf([2])).rejects.toBe(away);
    expect((await directory.recipientsOf([1])).get(1)).toEqual(recipients);
  });
});
