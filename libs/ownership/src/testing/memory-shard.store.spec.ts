import { MemoryShardStore } from './memory-shard.store';
import { shardStoreConformance } from './shard-store.conformance';

describe('shards in memory', () => {
  shardStoreConformance(async () => new MemoryShardStore(8));
});
