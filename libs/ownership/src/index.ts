export { type Assignment, evenShare, type OwnershipView } from './assignment';
export { LifeSession, type LifeSessionOptions } from './life-session';
export * from './ownership-env';
export * from './ownership.ports';
export * from './postgres-shard.store';
export * from './shard-of';
export * from './shard-ownership';
