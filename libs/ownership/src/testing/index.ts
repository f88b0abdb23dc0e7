export * from './memory-shard.store';
export * from './shard-tables';
export * from './shard-store.conformance';
