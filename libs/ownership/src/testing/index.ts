export * from './memory-shard.store';
export * from './shard-rows';
export * from './shard-store.conformance';
