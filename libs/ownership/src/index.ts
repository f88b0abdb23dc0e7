export { allShards, type Assignment, evenShare, type OwnershipView, shardCount, shardOf, shardsOfPartitions } from './assignment';
export * from './cell-map';
export { LivenessSession, type LivenessSessionOptions } from './liveness-session';
export * from './ownership-env';
export * from './ownership.ports';
export * from './postgres-shard.store';
export * from './shard-ownership';
