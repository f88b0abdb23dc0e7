import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../migrations';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import { newDelivery } from '../deliveries/testing/samples';
import { IdRangeStore } from './id-range.store';
import { RetainDeliveries } from './retention.job';

const day = 86_400_000;

describe('retention by partitions in PostgreSQL', () => {
  let database: TestDatabase;
  let store: IdRangeStore;
  let deliveries: PostgresDeliveryStore;
  const me = randomUUID();

  beforeEach(async () => {
    database = await createTestDatabase({ migrations });
    store = new IdRangeStore(database.dataSource);
    deliveries = new PostgresDeliveryStore(database.dataSource);
    await ownEveryShard(database.dataSource, me);
  });
  // Before the database goes.
  const later = undoneAfterEach();
  afterEach(() => database.drop());

  const insert = (...ids: number[]) =>
    deliveries.insert(
      me,
      ids.map(id => ({ ...newDelivery(id), epoch: 1 })),
    );
  const conclude = (...ids: number[]) =>
    database.dataSource.query(`insert into verdict (transaction_id, kind) select unnest($1::bigint[]), 'ACKED_HTTP'`, [ids]);
  const partitionOf = async (id: number) =>
    (
      await database.dataSource.query<{ name: string }[]>(
        'select tableoid::regclass::text as name from delivery where transaction_id = $1',
        [id],
      )
    )[0]?.name;
  const numbered = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

  it('puts ids of an open range into its partitions, others into the default one, and still knows each id once', async () => {
    expect(await store.open({ lower: 100, upper: 200 })).toBe(true);
    await insert(99, 100, 199, 200);
    await conclude(150);
    expect(await Promise.all([99, 100, 199, 200].map(partitionOf))).toEqual([
      'delivery_default',
      'delivery_1',
      'delivery_1',
      'delivery_default',
    ]);
    expect(await insert(99, 100)).toEqual([]);
    expect(await deliveries.close([{ transactionId: 100, merchantId: 1001, shard: 100 }])).toEqual([
      { transactionId: 100, verdict: 'OPEN' },
    ]);
  });

  it('opens no range over ids in use, and leaves nothing half-made', async () => {
    await insert(150);
    expect(await store.open({ lower: 100, upper: 200 })).toBe(false);
    expect(await store.ranges()).toEqual([]);
    await insert(160);
    expect(await store.open({ lower: 200, upper: 300 })).toBe(true);
  });

  it('drops a range with everything in it once all of it is concluded', async () => {
    await store.open({ lower: 100, upper: 200 });
    await insert(100, 101, 300);
    await conclude(100);
    expect(await store.drop(1)).toBe(false);
    await conclude(101);
    expect(await store.drop(1)).toBe(true);
    expect(await Promise.all([100, 300].map(partitionOf))).toEqual([undefined, 'delivery_default']);
    expect(await store.ranges()).toEqual([]);
    // Ids of the range are taken again, by the default partition.
    expect(await insert(150)).toHaveLength(1);
  });

  it('waits for a lock at most half a second, and intake waits no longer for it', async () => {
    await store.open({ lower: 100, upper: 200 });
    const reader = database.dataSource.createQueryRunner();
    later(() => reader.release());
    await reader.startTransaction();
    await reader.query('select count(*) from delivery');
    const dropping = store.drop(1);
    expect(await insert(300)).toHaveLength(1);
    await reader.commitTransaction();
    expect(await dropping).toBe(true);
  });

  it('deletes old concluded rows outside the ranges', async () => {
    await insert(1, 2, 3);
    await conclude(1, 2);
    await database.dataSource.query(
      `update delivery set received_at = received_at - interval '91 days' where transaction_id in (1, 3)`,
    );
    expect(await store.deleteStrays(90 * day)).toBe(1);
    expect(await Promise.all([1, 2, 3].map(partitionOf))).toEqual([undefined, 'delivery_default', 'delivery_default']);
  });

  it('follows the ids by itself, one replica at a time', async () => {
    const ids = numbered(5_000, 400);
    await insert(...ids);
    await conclude(...ids);
    await database.dataSource.query(
      `update delivery set received_at = clock_timestamp() - (5400 - transaction_id) * interval '1 minute'`,
    );
    const reports = await Promise.all([new RetainDeliveries(store, 90 * day).run(), new RetainDeliveries(store, 90 * day).run()]);
    expect(reports.filter(report => report.hasOpened)).toHaveLength(1);
    const [range] = await store.ranges();
    expect(range!.lower).toBeGreaterThan(5_400);
    await insert(range!.lower + 1);
    expect(await partitionOf(range!.lower + 1)).toBe('delivery_1');
    expect((await new RetainDeliveries(store, 90 * day).run()).hasOpened).toBe(false);
  });
});
