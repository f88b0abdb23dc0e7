import { type HeldShard, type OwnershipRows, type ShardRow, ShardStore } from '@paycode/ownership';
import type { DispatcherTables, StatementExecutor } from './dispatcher-tables';

/** Shards among the dispatcher's tables, statement by statement as `PostgresShardStore` has them. */
export class TableShardStore extends ShardStore {
  private standing: number | undefined;
  private endedCount = 0;

  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {
    super();
  }

  override get sessionsEnded(): number {
    return this.endedCount;
  }

  /** The process has heard that its session ended; it begins another one. */
  sessionEnded(replica: string): void {
    if (this.standing !== undefined) this.endedCount++;
    this.standing = undefined;
    this.keep(replica);
  }

  /** Begins a session if none stands, and waits for nothing, as `LivenessSession` does. */
  private keep(replica: string): void {
    if (this.standing !== undefined) return;
    const { tables } = this;
    const hold = () => {
      tables.locks.set(replica, ++tables.lastSession);
      return tables.lastSession;
    };
    this.execute(hold).then(
      session => (this.standing ??= session),
      // The next heartbeat tries again.
      () => undefined,
    );
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
    this.keep(replica);
    const before = this.standing;
    await this.execute(() => {
      tables.heartbeats.set(replica, (tables.heartbeats.get(replica) ?? 0) + 1);
      tables.heartbeatAtMs.set(replica, tables.nowMs());
    });
    const { held, ...rows } = await this.execute(() => ({
      held: tables.locks.get(replica),
      replicas: [...tables.heartbeats].map(([id, heartbeat]) => ({ replica: id, heartbeat, isHeld: tables.locks.has(id) })),
      shards: [...tables.shards.values()].map(({ shard, owner, epoch }) => ({
        shard,
        owner,
        epoch,
        heartbeat: this.heartbeatOf(owner),
      })),
    }));
    const stood = before !== undefined && before === this.standing;
    if (stood && held !== before) this.sessionEnded(replica);
    return stood && held === before ? { ...rows, session: before } : rows;
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
