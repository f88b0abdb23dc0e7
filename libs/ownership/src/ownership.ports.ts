/** A shard as the database has it. */
export interface ShardRow {
  shard: number;
  /** null: free. */
  owner: string | null;
  epoch: number;
  /** Heartbeat of the owner; null when the owner is not registered (any more). */
  heartbeat: number | null;
}

/** A shard and the fence under which its owner may act. */
export interface HeldShard {
  shard: number;
  epoch: number;
}

/** Who is registered, and who owns what. */
export interface OwnershipRows {
  replicas: readonly { replica: string; heartbeat: number }[];
  shards: readonly ShardRow[];
}

/** The table of shards and the heartbeats of their owners. */
export abstract class ShardStore {
  /** Moves the replica's heartbeat on, announcing it when new; returns every replica and every shard as they are then. */
  abstract heartbeat(replica: string): Promise<OwnershipRows>;
  /** Compare-and-set on epoch and heartbeat as seen; each success raises the epoch. Returns the shards that became the replica's. */
  abstract take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]>;
  /** Frees the shards that the replica still holds at that epoch. */
  abstract release(replica: string, shards: readonly HeldShard[]): Promise<void>;
  /** Forgets those of the replicas that hold nothing any more. */
  abstract forget(replicas: readonly string[]): Promise<void>;
}

/** Told about changes of ownership. */
export abstract class ShardListener {
  /** Shards this replica may act on from now on, under a new epoch. */
  abstract gained(shards: readonly HeldShard[]): void;
  /**
   * A shard that will be given up. Resolves, within a few seconds, when all that was claimed in it has started: what is claimed and never
   * starts counts as sent.
   */
  abstract ending(shard: HeldShard): Promise<void>;
  /** Shards that are not this replica's any more: nothing new may start in them. */
  abstract lost(shards: readonly HeldShard[]): void;
  /** Resolves when nothing of the shard is in flight any more, so that giving it up causes no second POST (P-T9). */
  abstract finished(shard: number): Promise<void>;
}
