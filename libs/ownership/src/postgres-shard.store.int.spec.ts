import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { PostgresShardStore } from './postgres-shard.store';
import { allShards } from './shard-of';
import { shardStoreConformance } from './testing/shard-store.conformance';
import { CreateShardTables1760000000000 } from './testing/shard-tables';

describe('shards in PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase({ migrations: [CreateShardTables1760000000000] })));
  afterEach(() => database.drop());
  const open = async () => new PostgresShardStore(database.dataSource);

  shardStoreConformance(open);

  it('gives a shard to one of two replicas that take it at once, under a higher epoch', async () => {
    const store = await open();
    const [first, second] = [randomUUID(), randomUUID()];
    for (let round = 0; round < 50; round++) {
      const rows = (await store.heartbeat(first)).shards.filter(row => row.shard < 8);
      await store.heartbeat(second);
      const [mine, yours] = await Promise.all([store.take(first, rows), store.take(second, rows)]);
      expect(mine!.length + yours!.length).toBe(8);
      expect([...mine!, ...yours!].every(held => held.epoch === rows[held.shard]!.epoch + 1)).toBe(true);
      await Promise.all([store.release(first, mine!), store.release(second, yours!)]);
    }
  });

  it('many replicas that take at the same time share the shards without an overlap', async () => {
    const replicas = Array.from({ length: 8 }, () => randomUUID());
    const store = await open();
    const { shards } = await store.heartbeat(replicas[0]!);
    const taken = await Promise.all(replicas.map(replica => store.take(replica, shards)));
    expect(taken.flat().map(held => held.shard).sort((a, b) => a - b)).toEqual(allShards()); // prettier-ignore
  });

  it('of a heartbeat and a takeover of its owner at the same time, either may be first, and the epoch tells who lost (P-T6)', async () => {
    const store = await open();
    const [owner, heir] = [randomUUID(), randomUUID()];
    await store.heartbeat(owner);
    for (let round = 0; round < 20; round++) {
      const [free] = (await store.heartbeat(owner)).shards.filter(row => row.shard === 5);
      const [held] = await store.take(owner, [free!]);
      const [seen] = (await store.heartbeat(heir)).shards.filter(row => row.shard === 5);
      const [, taken] = await Promise.all([store.heartbeat(owner), store.take(heir, [seen!])]);
      const [now] = (await store.heartbeat(owner)).shards.filter(row => row.shard === 5);
      expect([now!.owner, now!.epoch]).toEqual(taken!.length === 1 ? [heir, held!.epoch + 1] : [owner, held!.epoch]);
      await store.release(now!.owner!, [now!]);
    }
  });
});
