export { type Assignment, evenShare, type OwnershipView } from './assignment';
export { LivenessSession, type LivenessSessionOptions } from './liveness-session';
export * from './ownership-env';
export * from './ownership.ports';
export * from './postgres-shard.store';
export * from './shard-of';
export * from './shard-ownership';
