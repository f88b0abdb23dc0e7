import { InMemoryShardStore } from './in-memory-shard.store';
import { shardStoreConformance } from './shard-store.conformance';

describe('shards in memory', () => {
  shardStoreConformance(async () => new InMemoryShardStore([0, 1, 2]));
});
