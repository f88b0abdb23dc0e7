import { randomUUID } from 'node:crypto';
import { IdRangeStore, RetainRanges } from '@paycode/persistence/retention';
import { testDatabaseForEach } from '@paycode/persistence/testing';
import { eventually, undoneAfterEach } from '@paycode/service-runtime/testing';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../migrations';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import { newDelivery } from '../deliveries/testing/samples';
import { deliveryRanges } from './delivery-ranges';

const day = 86_400_000;

describe('retention by partitions in PostgreSQL', () => {
  const database = testDatabaseForEach({ migrations });
  let store: IdRangeStore;
  let deliveries: PostgresDeliveryStore;
  const me = randomUUID();

  beforeEach(async () => {
    store = new IdRangeStore(database.dataSource, deliveryRanges);
    deliveries = new PostgresDeliveryStore(database.dataSource);
    await ownEveryShard(database.dataSource, me);
  });
  // Before the database goes.
  const later = undoneAfterEach();

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

  it('regression: a stop ends a statement that reads a whole table, and waits for none', async () => {
    await store.open({ lower: 100, upper: 200 });
    const writer = database.dataSource.createQueryRunner();
    later(() => writer.release());
    await writer.startTransaction();
    await writer.query('lock table delivery_1');
    const dropping = store.drop(1).catch((error: unknown) => error);
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await database.dataSource.query(waiting)).toHaveLength(1);
    });
    await store.end();
    expect(await dropping).toMatchObject({ code: '57014' });
    await expect(store.drop(1)).rejects.toThrow('the service stops');
    await writer.rollbackTransaction();
  });

  it('regression: a replica that died while it opened or dropped a range blocks no id and no later run', async () => {
    await database.dataSource.query(`
      insert into id_range (lower, upper) values (100, 200), (300, 400);
      alter table delivery_default add constraint keeps_out_1 check (not (transaction_id >= 100 and transaction_id < 200)) not valid;
      create table attempt_2 (like attempt);
      update id_range set passed_at = clock_timestamp() - interval '92 days' where range = 2`);
    await new RetainRanges(store, 90 * day).run();
    expect(await insert(100)).toHaveLength(1);
    expect(await store.ranges()).toEqual([]);
  });

  it('regression: a range that was half open when ids reached it keeps its rows', async () => {
    await store.open({ lower: 100, upper: 200 });
    await insert(100);
    await database.dataSource.query('alter table verdict detach partition verdict_1');
    await new RetainRanges(store, 90 * day).run();
    expect(await insert(100, 101)).toHaveLength(1);
    expect(await partitionOf(100)).toBe('delivery_1');
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

  it('regression: reads few of the rows outside the ranges that are young, however many they are', async () => {
    await database.dataSource.query(`
      insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, payload)
      select n, n % 256, n, 1, 7, 'PURCHASE', 'SUCCESS', true, 'sealed' from generate_series(1, 30000) n;
      insert into verdict (transaction_id, kind) select n, 'ACKED_HTTP' from generate_series(1, 30000) n;
      update delivery set received_at = received_at - interval '91 days' where transaction_id <= 2000;
      analyze`);
    expect(await store.deleteStrays(90 * day)).toBe(2_000);
    const plan: unknown = await database.dataSource.query(
      `explain (analyze, timing off, format json) ${deliveryRanges.deleteStrays}`,
      [90 * day, 1_000],
    );
    const read = [
      ...JSON.stringify(plan).matchAll(/"(?:Actual Rows|Rows Removed by Filter|Rows Removed by Join Filter)":(\d+)/g),
    ];
    expect(Math.max(...read.map(([, rows]) => Number(rows)))).toBeLessThan(2_000);
  });

  it('follows the ids by itself, one replica at a time', async () => {
    const ids = numbered(5_000, 400);
    await insert(...ids);
    await conclude(...ids);
    await database.dataSource.query(
      `update delivery set received_at = clock_timestamp() - (5400 - transaction_id) * interval '1 minute'`,
    );
    const reports = await Promise.all([new RetainRanges(store, 90 * day).run(), new RetainRanges(store, 90 * day).run()]);
    expect(reports.filter(report => report.hasOpened)).toHaveLength(1);
    const [range] = await store.ranges();
    expect(range!.lower).toBeGreaterThan(5_400);
    await insert(range!.lower + 1);
    expect(await partitionOf(range!.lower + 1)).toBe('delivery_1');
    expect((await new RetainRanges(store, 90 * day).run()).hasOpened).toBe(false);
  });
});
