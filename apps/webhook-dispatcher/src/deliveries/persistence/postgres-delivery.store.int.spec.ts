import { randomUUID } from 'node:crypto';
import { locksInOrder, testDatabaseForEach } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { DataSource } from 'typeorm';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../../migrations';
import { delivery, newDelivery } from '../testing/samples';
import { deliverySql } from './delivery.sql';
import { PostgresDeliveryStore } from './postgres-delivery.store';

describe('deliveries in PostgreSQL', () => {
  const database = testDatabaseForEach({ migrations });
  let store: PostgresDeliveryStore;
  const [me, other] = [randomUUID(), randomUUID()];
  const claimed = (id: number) => ({ ...newDelivery(id), epoch: 1 });
  const unclaimed = (id: number) => ({ ...newDelivery(id), epoch: 0 });
  const closeItem = (id: number) => ({ transactionId: id, merchantId: 1001, shard: id % 256 });
  const allShards = (epoch: number, afterSeq = 0) => Array.from({ length: 256 }, (_, shard) => ({ shard, epoch, afterSeq }));
  const upTo = (limitPerShard: number, exceptMerchants: number[] = []) => ({ limitPerShard, exceptMerchants });
  const pass = (shards: string, owner: string) =>
    database.dataSource.query(`update shard set owner = '${owner}', epoch = epoch + 1 where ${shards}`);
  const conclude = (id: number, kind: string) =>
    database.dataSource.query('insert into verdict (transaction_id, kind) values ($1, $2)', [id, kind]);

  beforeEach(async () => {
    store = new PostgresDeliveryStore(database.dataSource);
    await ownEveryShard(database.dataSource, me);
  });

  describe('close', () => {
    it('regression: an ingest does not deadlock with a close of the same transactions', async () => {
      const closing = (id: number) =>
        `insert into delivery (transaction_id, merchant_id, shard, seq, epoch, kind, status, reversible, stub)
         values (${id}, 1001, ${id}, 0, 0, 'PURCHASE', 'SUCCESS', true, true)`;
      await locksInOrder(database, { first: closing(1), second: closing(2) }, () => store.insert(me, [claimed(2), claimed(1)]));
    });

    it('of an ingest and a close that race for one transaction exactly one wins (T-20)', async () => {
      const rounds = 300;
      let closed = 0;
      for (let id = 1; id <= rounds; id++) {
        const [inserted, answers] = await Promise.all([store.insert(me, [claimed(id)]), store.close([closeItem(id)])]);
        const isClosed = answers[0]!.verdict === 'CLOSED_NEVER_SENT';
        expect(inserted.length === 0).toBe(isClosed);
        expect(answers[0]!.verdict).toBe(isClosed ? 'CLOSED_NEVER_SENT' : 'OPEN');
        if (isClosed) closed++;
      }
      // Both orders must have happened, or the test shows nothing.
      expect(closed).toBeGreaterThan(0);
      expect(closed).toBeLessThan(rounds);
    });
  });

  describe('takeover', () => {
    it('the successor finds the deliveries that the former owner had claimed and not concluded, with their attempts (P-1.2-8)', async () => {
      await store.insert(me, [claimed(1), claimed(257), claimed(513), unclaimed(769)]);
      await conclude(257, 'ACKED_HTTP');
      await store.claimAttempts(me, [delivery(513, { attempt: 2, shard: 1 })]);
      await database.dataSource.query(
        `update delivery set received_at = received_at - interval '1 day' where transaction_id = 1`,
      );
      await pass('shard = 1', other);
      const found = await store.orphaned([{ shard: 1, epoch: 2, afterSeq: 0 }], 10);
      expect(found.map(row => [row.transactionId, row.attemptsClaimed])).toEqual([
        [1, 1],
        [513, 2],
      ]);
      expect(found[0]).toMatchObject({ merchantId: 1001, isReversible: true, payload: newDelivery(1).payload });
      expect(found[0]!.ageMs).toBeGreaterThanOrEqual(86_400_000);
      expect(found[1]!.ageMs).toBeLessThan(86_400_000);
    });
  });

  describe('sweep', () => {
    it('continues where a full page ended', async () => {
      await store.insert(other, [unclaimed(1), unclaimed(257), unclaimed(513)]);
      const [page] = await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(2));
      const [rest] = await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: page!.horizonSeq }], upTo(2));
      expect([...page!.unclaimed, ...rest!.unclaimed].map(row => row.transactionId)).toEqual([1, 257, 513]);
    });

    it('never sees a horizon above a seq that a running ingest may still write', async () => {
      const runner = database.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query('select from shard where shard = 1 for share');
      await runner.query(`insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, payload)
                          values (1, 1, nextval('delivery_seq'), 0, 1001, 'PURCHASE', 'SUCCESS', true, 'x')`);
      const sweeping = store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10));
      await store.insert(me, [claimed(2)]);
      await runner.commitTransaction();
      await runner.release();
      expect((await sweeping)[0]!.unclaimed.map(row => row.transactionId)).toEqual([1]);
    });

    it('moves low_seq up to the first open row and no further', async () => {
      const lowSeq = async () =>
        (await database.dataSource.query<{ low_seq: string }[]>('select low_seq from shard where shard = 1'))[0]!.low_seq;
      const inserted = await store.insert(me, [claimed(1), claimed(257), claimed(513)]);
      await conclude(1, 'ACKED_HTTP');
      await conclude(513, 'ACKED_HTTP');
      await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10));
      expect(Number(await lowSeq())).toBe(inserted.find(row => row.transactionId === 257)!.seq);
      await conclude(257, 'ACKED_HTTP');
      await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10));
      expect(Number(await lowSeq())).toBeGreaterThan(inserted.find(row => row.transactionId === 513)!.seq);
    });

    it('locks shards in their order when it moves low_seq, so that it cannot deadlock with an ingest (P-1.8)', async () => {
      const { dataSource } = database;
      const ids = Array.from({ length: 256 }, (_, shard) => shard);
      await store.insert(
        me,
        ids.map(id => claimed(id + 256)),
      );
      for (const id of ids) await conclude(id + 256, 'ACKED_HTTP');
      const holder = dataSource.createQueryRunner();
      await holder.startTransaction();
      const held = async (sql: string, parameters: unknown[]) => {
        if (sql === deliverySql.advance) await holder.query('select from shard where shard = 0 for share');
        return dataSource.query<unknown[]>(sql, parameters);
      };
      const sweeping = new PostgresDeliveryStore({ query: held } as unknown as DataSource).sweep(
        me,
        allShards(1).reverse(),
        upTo(10),
      );
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => expect(await dataSource.query(waits)).toHaveLength(1));
      await holder.query('select from shard where shard > 0 for share nowait');
      await holder.commitTransaction();
      await holder.release();
      await sweeping;
      const [{ behind } = { behind: -1 }] = await dataSource.query<{ behind: number }[]>(
        'select count(*)::int as behind from shard where low_seq <= 256',
      );
      expect(behind).toBe(0);
    });

    it('waits for no lock while none of its shards has an open delivery, and sweeps again with the next one', async () => {
      await store.insert(me, [claimed(1)]);
      await conclude(1, 'ACKED_HTTP');
      await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10));
      const holder = database.dataSource.createQueryRunner();
      await holder.startTransaction();
      await holder.query('select from shard where shard = 1 for update');
      expect(await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10))).toEqual([]);
      await holder.commitTransaction();
      await holder.release();
      await store.insert(other, [unclaimed(257)]);
      const [swept] = await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10));
      expect(swept!.unclaimed.map(row => row.transactionId)).toEqual([257]);
    });
  });
});
