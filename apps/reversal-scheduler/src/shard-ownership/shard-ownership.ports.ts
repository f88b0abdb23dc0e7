import type { ShardRow } from './domain/plan-shards';

/** The table in which replicas announce themselves and share out shards. */
export abstract class ShardStore {
  /** Moves the beat of `replica` on (announcing it when new) and returns all replicas and all shards as they are then. */
  abstract beat(replica: string): Promise<{ replicas: { replica: string; beat: number }[]; shards: ShardRow[] }>;
  /** Compare-and-set by epoch; returns the shards that became `replica`'s. */
  abstract claim(replica: string, shards: readonly ShardRow[]): Promise<number[]>;
  abstract release(replica: string, shards: readonly number[]): Promise<void>;
  /** Removes replicas that are dead. */
  abstract forget(replicas: readonly string[]): Promise<void>;
}
