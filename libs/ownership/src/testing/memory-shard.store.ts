import { type HeldShard, type OwnershipRows, type ShardRow, ShardStore } from '../ownership.ports';

/** Shards in memory, with the compare-and-set of the real store. */
export class MemoryShardStore extends ShardStore {
  readonly heartbeats = new Map<string, number>();
  private readonly instances = new Map<string, string>();
  readonly shards: { shard: number; owner: string | null; epoch: number }[];
  /** Locks of replicas (P-T11), set by the test; `session` is the reader's own. */
  readonly locks = new Map<string, boolean>();
  session: number | undefined;
  override sessionsEnded = 0;
  /** Runs before every call; throw to make it fail. */
  beforeCall: () => void | Promise<void> = () => undefined;

  constructor(count: number) {
    super();
    this.shards = Array.from({ length: count }, (_, shard) => ({ shard, owner: null, epoch: 0 }));
  }

  override async succeed(replica: string, instance: string): Promise<void> {
    await this.beforeCall();
    this.instances.set(replica, instance);
    this.heartbeats.set(replica, this.heartbeats.get(replica) ?? 1);
    const former = [...this.instances]
      .filter(([other, place]) => place === instance && other !== replica)
      .map(([other]) => other);
    for (const row of this.shards) if (row.owner !== null && former.includes(row.owner)) row.owner = null;
    for (const other of former) this.instances.delete(other);
    for (const other of former) this.heartbeats.delete(other);
  }

  override async heartbeat(replica: string): Promise<OwnershipRows> {
    await this.beforeCall();
    this.heartbeats.set(replica, (this.heartbeats.get(replica) ?? 0) + 1);
    return {
      replicas: [...this.heartbeats].map(([name, heartbeat]) => ({
        replica: name,
        heartbeat,
        isHeld: this.locks.get(name) ?? false,
      })),
      shards: this.shards.map(row => ({ ...row, heartbeat: this.heartbeatOf(row.owner) })),
      ...(this.session !== undefined && { session: this.session }),
    };
  }

  override async take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]> {
    await this.beforeCall();
    const free = seen.filter(row => {
      const { owner, epoch } = this.shards[row.shard]!;
      return epoch === row.epoch && this.heartbeatOf(owner) === row.heartbeat;
    });
    return free.map(({ shard }) => {
      const row = this.shards[shard]!;
      row.owner = replica;
      return { shard, epoch: ++row.epoch };
    });
  }

  override async release(replica: string, shards: readonly HeldShard[]): Promise<void> {
    await this.beforeCall();
    for (const { shard, epoch } of shards) {
      const row = this.shards[shard]!;
      if (row.owner === replica && row.epoch === epoch) row.owner = null;
    }
  }

  override async forget(replicas: readonly string[]): Promise<void> {
    await this.beforeCall();
    for (const replica of replicas) if (!this.shards.some(({ owner }) => owner === replica)) this.heartbeats.delete(replica);
  }

  private heartbeatOf(owner: string | null): number | null {
    return owner === null ? null : (this.heartbeats.get(owner) ?? null);
  }
}
