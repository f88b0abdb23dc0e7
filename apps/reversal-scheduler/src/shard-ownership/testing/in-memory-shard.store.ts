import type { ShardRow } from '../domain/plan-shards';
import { ShardStore } from '../shard-ownership.ports';

/** Replicas and shards in memory; held to the PostgreSQL store by `shard-store.conformance.ts`. */
export class InMemoryShardStore extends ShardStore {
  private readonly beats = new Map<string, number>();
  private readonly rows: Map<number, ShardRow>;

  constructor(shards: Iterable<number>) {
    super();
    this.rows = new Map([...shards].map(shard => [shard, { shard, owner: null, epoch: 0 }]));
  }

  override async beat(replica: string): Promise<{ replicas: { replica: string; beat: number }[]; shards: ShardRow[] }> {
    const before = this.beats.get(replica);
    this.beats.set(replica, before === undefined ? 0 : before + 1);
    return {
      replicas: [...this.beats].map(([name, beat]) => ({ replica: name, beat })),
      shards: [...this.rows.values()].map(row => ({ ...row })),
    };
  }

  override async claim(replica: string, shards: readonly ShardRow[]): Promise<number[]> {
    const free = shards.filter(({ shard, epoch }) => this.rows.get(shard)?.epoch === epoch);
    for (const { shard, epoch } of free) this.rows.set(shard, { shard, owner: replica, epoch: epoch + 1 });
    return free.map(({ shard }) => shard);
  }

  override async release(replica: string, shards: readonly number[]): Promise<void> {
    for (const shard of shards) if (this.rows.get(shard)?.owner === replica) this.free(shard);
  }

  override async forget(replicas: readonly string[]): Promise<void> {
    for (const { shard, owner } of this.rows.values()) if (owner !== null && replicas.includes(owner)) this.free(shard);
    for (const replica of replicas) this.beats.delete(replica);
  }

  private free(shard: number): void {
    this.rows.set(shard, { shard, owner: null, epoch: this.rows.get(shard)!.epoch + 1 });
  }
}
