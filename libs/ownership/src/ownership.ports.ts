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

/** A registered replica. */
export interface ReplicaRow {
  replica: string;
  heartbeat: number;
  /** Whether its lock stands, which falls with its connection. Undefined: the locks were not read. */
  isHeld?: boolean;
}

/** The registered replicas, and the shards with their owners. */
export interface OwnershipRows {
  replicas: readonly ReplicaRow[];
  shards: readonly ShardRow[];
  /**
   * The reader's own session, whose lock stood when the rows were read. A lock that was seen in the same session and is gone fell alone,
   * not with the server. Undefined: locks prove nothing now.
   */
  session?: number;
}

/** The table of shards and the heartbeats of their owners. */
export abstract class ShardStore {
  /** How many sessions whose lock showed that this process lives have ended, as far as the process knows (P-T11). */
  abstract readonly sessionsEnded: number;

  /** Registers the replica as the only living one at `instance`, and frees the shards of those that were there before it (P-T10). */
  abstract succeed(replica: string, instance: string): Promise<void>;
  /** Increases the replica's heartbeat, and registers a new replica; then reads and returns every replica and every shard. */
  abstract heartbeat(replica: string): Promise<OwnershipRows>;
  /**
   * Compare-and-set on the epoch and heartbeat in `seen`; each success raises the epoch. Returns the shards that the replica got.
   */
  abstract take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]>;
  /** Frees the shards that the replica still holds at that epoch. */
  abstract release(replica: string, shards: readonly HeldShard[]): Promise<void>;
  /** Deletes those of the replicas that own no shard any more. */
  abstract forget(replicas: readonly string[]): Promise<void>;
}

/** Receives changes of ownership. */
export abstract class ShardListener {
  /** Shards this replica may act on from now on, under a new epoch. */
  abstract gained(shards: readonly HeldShard[]): void;
  /**
   * A shard that will be given up. Resolves, within a few seconds, when all claimed work in it has started, because claimed work that
   * never starts counts as sent.
   */
  abstract ending(shard: HeldShard): Promise<void>;
  /** Shards that this replica no longer owns: nothing new may start in them. */
  abstract lost(shards: readonly HeldShard[]): void;
  /** Resolves when no work of the shard is in flight, so that giving it up causes no second POST (P-T9). */
  abstract finished(shard: number): Promise<void>;
}
