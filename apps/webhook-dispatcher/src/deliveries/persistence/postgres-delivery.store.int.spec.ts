import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { DataSource } from 'typeorm';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../../migrations';
import { delivery, newDelivery } from '../testing/samples';
import { deliverySql } from './delivery.sql';
import { PostgresDeliveryStore } from './postgres-delivery.store';

describe('deliveries in PostgreSQL', () => {
  let database: TestDatabase;
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
    database = await createTestDatabase({ migrations });
    store = new PostgresDeliveryStore(database.dataSource);
    await ownEveryShard(database.dataSource, me);
  });
  afterEach(() => database.drop());

  describe('ingest', () => {
    it('stores each transaction once and answers only the new ones (P-I10)', async () => {
      expect(await store.insert(me, [claimed(1), claimed(2)])).toHaveLength(2);
      expect(await store.insert(me, [claimed(2), claimed(3)])).toMatchObject([{ transactionId: 3, epoch: 1 }]);
    });

    it('stores duplicates within one batch once', async () => {
      expect(await store.insert(me, [claimed(1), claimed(1)])).toHaveLength(1);
    });

    it('stores rows of a shard that somebody else owns, without a claim', async () => {
      await pass('shard = 1', other);
      expect(await store.insert(me, [claimed(1), claimed(2)])).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ transactionId: 1, epoch: 0 }),
          expect.objectContaining({ transactionId: 2, epoch: 1 }),
        ]),
      );
    });

    it('claims nothing under an earlier epoch, even if the replica owns the shard again (P-I8)', async () => {
      await pass('true', other);
      await pass('true', me);
      expect(await store.insert(me, [claimed(1)])).toMatchObject([{ transactionId: 1, epoch: 0 }]);
      expect(await store.insert(me, [{ ...newDelivery(2), epoch: 3 }])).toMatchObject([{ transactionId: 2, epoch: 3 }]);
    });

    it('the first content of an id stands, and a different one is reported (T-19)', async () => {
      await store.insert(me, [claimed(1), claimed(2)]);
      await conclude(2, 'ACKED_HTTP');
      const known = await store.known([newDelivery(1, { merchantId: 1002 }), newDelivery(2), newDelivery(3)]);
      expect(known.sort((a, b) => a.transactionId - b.transactionId)).toEqual([
        { transactionId: 1, isSame: false, epoch: 1, version: 'V3', isOpen: true },
        { transactionId: 2, isSame: true, epoch: 1, version: 'V3', isOpen: false },
      ]);
    });

    it('the payload is stored sealed, as it came (T-16, T-17)', async () => {
      await store.insert(me, [claimed(1)]);
      const [row] = await database.dataSource.query<{ payload: string }[]>('select payload from delivery');
      expect(row!.payload).toBe(newDelivery(1).payload);
    });
  });

  describe('close', () => {
    it('a transaction that never came is closed and can never come again (P-1.2-9)', async () => {
      expect(await store.close([closeItem(1)])).toEqual([{ transactionId: 1, verdict: 'CLOSED_NEVER_SENT' }]);
      expect(await store.insert(me, [claimed(1)])).toEqual([]);
      expect(await store.known([newDelivery(1)])).toEqual([
        { transactionId: 1, isSame: true, epoch: 0, version: 'V3', isOpen: false },
      ]);
    });

    it('a delivery that an owner holds stays OPEN, however often close asks (A-07)', async () => {
      await store.insert(me, [claimed(1), unclaimed(2)]);
      const answers = await store.close([closeItem(1), closeItem(2)]);
      expect(answers.map(answer => answer.verdict)).toEqual(['OPEN', 'OPEN']);
      expect(await store.close([closeItem(1)])).toEqual([{ transactionId: 1, verdict: 'OPEN' }]);
    });

    it('answers the existing verdict', async () => {
      await store.insert(me, [claimed(1)]);
      await conclude(1, 'ACKED_PULL');
      expect(await store.close([closeItem(1)])).toEqual([{ transactionId: 1, verdict: 'ACKED_PULL' }]);
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

  describe('claims of attempts', () => {
    it('claims an attempt once per epoch, and again when its answer was lost (P-I8)', async () => {
      await store.insert(me, [unclaimed(1)]);
      expect(await store.claimAttempts(me, [delivery(1)])).toEqual([1]);
      expect(await store.claimAttempts(me, [delivery(1)])).toEqual([1]);
      await pass('true', other);
      expect(await store.claimAttempts(other, [delivery(1, { epoch: 2 })])).toEqual([]);
      expect(await store.claimAttempts(other, [delivery(1, { epoch: 2, attempt: 2 })])).toEqual([1]);
    });

    it('refuses a claim under an earlier epoch, even if the replica owns the shard again (P-I8)', async () => {
      await store.insert(me, [unclaimed(1)]);
      await pass('true', other);
      await pass('true', me);
      expect(await store.claimAttempts(me, [delivery(1)])).toEqual([]);
      expect(await store.claimAttempts(me, [delivery(1, { epoch: 3 })])).toEqual([1]);
    });

    it('refuses a claim of a replica that lost the shard', async () => {
      await store.insert(me, [unclaimed(1)]);
      await pass('true', other);
      expect(await store.claimAttempts(me, [delivery(1)])).toEqual([]);
    });

    it('refuses a claim once there is a verdict, so that no POST follows a getNotification (A-15)', async () => {
      await store.insert(me, [unclaimed(1)]);
      await conclude(1, 'ACKED_PULL');
      expect(await store.claimAttempts(me, [delivery(1)])).toEqual([]);
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

    it('pages by seq', async () => {
      await store.insert(me, [claimed(1), claimed(257), claimed(513)]);
      await pass('shard = 1', other);
      const [first] = await store.orphaned([{ shard: 1, epoch: 2, afterSeq: 0 }], 1);
      const rest = await store.orphaned([{ shard: 1, epoch: 2, afterSeq: first!.seq }], 10);
      expect([first!, ...rest].map(row => row.transactionId)).toEqual([1, 257, 513]);
    });
  });

  describe('sweep', () => {
    it('finds rows that nobody claimed, once', async () => {
      await store.insert(other, [unclaimed(1), unclaimed(2), claimed(3)]);
      const swept = await store.sweep(me, allShards(1), upTo(10));
      expect(swept.flatMap(shard => shard.unclaimed.map(row => row.transactionId)).sort()).toEqual([1, 2, 3]);
      const cursors = swept.map(({ shard, horizonSeq }) => ({ shard, epoch: 1, afterSeq: horizonSeq }));
      expect((await store.sweep(me, cursors, upTo(10))).flatMap(shard => shard.unclaimed)).toEqual([]);
    });

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

    it('passes over merchants that are read on their own', async () => {
      await store.insert(other, [unclaimed(1), { ...unclaimed(257), merchantId: 1002 }]);
      const [swept] = await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10, [1001]));
      expect(swept!.unclaimed.map(row => row.transactionId)).toEqual([257]);
    });

    it('ignores shards of others', async () => {
      await pass('shard = 1', other);
      expect(await store.sweep(me, [{ shard: 1, epoch: 1, afterSeq: 0 }], upTo(10))).toEqual([]);
    });
  });

  describe('deliveries of a merchant that wait in the database', () => {
    it('are read by merchant, oldest first, page by page, only in owned shards', async () => {
      const rows = [1, 257, 513, 769].map(id => ({ ...unclaimed(id), merchantId: 7 }));
      await store.insert(me, [
        ...rows,
        { ...unclaimed(2), merchantId: 7 },
        { ...unclaimed(3), merchantId: 8 },
        { ...claimed(4), merchantId: 7 },
      ]);
      await conclude(257, 'ACKED_PULL');
      const first = await store.waiting(
        [1, 3],
        [
          { merchantId: 7, afterSeq: 0, limit: 2 },
          { merchantId: 8, afterSeq: 0, limit: 2 },
        ],
      );
      expect(first.map(row => [row.merchantId, row.transactionId])).toEqual([
        [7, 1],
        [7, 513],
        [8, 3],
      ]);
      const rest = await store.waiting([1], [{ merchantId: 7, afterSeq: first[1]!.seq, limit: 2 }]);
      expect(rest.map(row => row.transactionId)).toEqual([769]);
    });
  });
});
