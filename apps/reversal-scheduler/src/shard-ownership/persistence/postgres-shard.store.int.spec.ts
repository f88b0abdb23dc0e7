import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../../migrations';
import { shardStoreConformance } from '../testing/shard-store.conformance';
import { PostgresShardStore } from './postgres-shard.store';

describe('shards in PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase({ migrations })));
  afterEach(() => database.drop());

  describe('conformance', () => {
    shardStoreConformance(async () => new PostgresShardStore(database.dataSource));
  });

  it('many replicas that claim at the same time share the shards without an overlap', async () => {
    const replicas = Array.from({ length: 8 }, (_, at) => `00000000-0000-4000-8000-00000000000${at}`);
    const store = new PostgresShardStore(database.dataSource);
    const { shards } = await store.beat(replicas[0]!);
    const claimed = await Promise.all(replicas.map(replica => store.claim(replica, shards)));
    expect(claimed.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 256 }, (_, shard) => shard));
  });
});
