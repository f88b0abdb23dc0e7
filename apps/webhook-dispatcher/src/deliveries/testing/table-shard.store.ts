import { type HeldShard, type OwnershipRows, type ShardRow, ShardStore } from '@paycode/ownership';
import type { DispatcherTables } from './dispatcher-tables';
import type { StatementExecutor } from './statement-executor';

/** Shards among the dispatcher's tables, statement by statement as `PostgresShardStore` has them. */
export class TableShardStore extends ShardStore {
  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {
    super();
  }

  override succeed(replica: string, instance: string): Promise<void> {
    const { tables } = this;
    return this.execute(() => {
      tables.instances.set(replica, instance);
      if (!tables.heartbeats.has(replica)) tables.heartbeats.set(replica, 1);
      const former = new Set(
        [...tables.instances].flatMap(([other, place]) => (place === instance && other !== replica ? [other] : [])),
      );
      for (const row of tables.shards.values()) if (row.owner !== null && former.has(row.owner)) row.owner = null;
      for (const other of former) tables.heartbeats.delete(other);
      for (const other of former) tables.instances.delete(other);
    });
  }

  override async heartbeat(replica: string): Promise<OwnershipRows> {
    const { tables } = this;
    await this.execute(() => {
      tables.heartbeats.set(replica, (tables.heartbeats.get(replica) ?? 0) + 1);
      tables.heartbeatAtMs.set(replica, tables.nowMs());
    });
    return this.execute(() => ({
      replicas: [...tables.heartbeats].map(([id, heartbeat]) => ({ replica: id, heartbeat })),
      shards: [...tables.shards.values()].map(({ shard, owner, epoch }) => ({
        shard,
        owner,
        epoch,
        heartbeat: this.heartbeatOf(owner),
      })),
    }));
  }

  override take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]> {
    return this.execute(() =>
      seen.flatMap(({ shard, epoch, heartbeat }) => {
        const row = this.tables.shards.get(shard);
        if (!row || row.epoch !== epoch || this.heartbeatOf(row.owner) !== heartbeat) return [];
        this.tables.raiseEpoch(row, replica);
        return [{ shard, epoch: row.epoch }];
      }),
    );
  }

  override release(replica: string, shards: readonly HeldShard[]): Promise<void> {
    return this.execute(() => {
      for (const held of shards) if (this.tables.holds(replica, held)) this.tables.shards.get(held.shard)!.owner = null;
    });
  }

  override forget(replicas: readonly string[]): Promise<void> {
    return this.execute(() => {
      const owners = new Set([...this.tables.shards.values()].map(({ owner }) => owner));
      for (const replica of replicas) if (!owners.has(replica)) this.tables.heartbeats.delete(replica);
    });
  }

  private heartbeatOf(owner: string | null): number | null {
    return owner === null ? null : (this.tables.heartbeats.get(owner) ?? null);
  }
}
