import { preparedQuery } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import type { LivenessSession } from './liveness-session';
import { type HeldShard, type OwnershipRows, type ReplicaRow, type ShardRow, ShardStore } from './ownership.ports';
import { shardSql as sql } from './shard.sql';

interface Row {
  /** Numbers, separated by commas; null for a replica without any. */
  shards: string | null;
  owner: string | null;
  epoch: string | null;
  replica: string | null;
  heartbeat: string | null;
  is_held: boolean | null;
}

/**
 * Shards in PostgreSQL, in the tables `shard (shard, owner, epoch)` and `replica (id, heartbeat, instance)` of the service. Every statement that locks several
 * shard rows takes them in order, so that no two can deadlock.
 */
export class PostgresShardStore extends ShardStore {
  /** Without a liveness session the replica holds no lock, and its heartbeat alone speaks for it. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly liveness?: LivenessSession,
  ) {
    super();
  }

  override get sessionsEnded(): number {
    return this.liveness?.ended ?? 0;
  }

  override async succeed(replica: string, instance: string): Promise<void> {
    await this.dataSource.query(sql.succeed, [replica, instance]);
  }

  override async heartbeat(replica: string): Promise<OwnershipRows> {
    this.liveness?.keep(replica);
    const before = this.liveness?.standing;
    await preparedQuery(this.dataSource, { name: 'replica-heartbeat', text: sql.heartbeat }, [replica]);
    const rows = await preparedQuery<Row>(this.dataSource, { name: 'shard-rows', text: sql.rows }, []);
    const replicas = new Map(rows.flatMap(row => (row.replica === null ? [] : [[row.replica, replicaRowOf(row.replica, row)]])));
    const session = this.sessionSince(before, replicas.get(replica)?.isHeld ?? false);
    return { replicas: [...replicas.values()], shards: rows.flatMap(shardRowsOf), ...(session !== undefined && { session }) };
  }

  /** The session that stood before the rows were read and whose lock is among them. */
  private sessionSince(before: number | undefined, isHeld: boolean): number | undefined {
    if (before === undefined || before !== this.liveness?.standing) return undefined;
    if (isHeld) return before;
    // The server ended the session, and this process has not heard of it.
    this.liveness?.drop();
    return undefined;
  }

  override async take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]> {
    const rows = await this.rows<{ shard: number; epoch: string }>(sql.take, [
      replica,
      seen.map(row => row.shard),
      seen.map(row => row.epoch),
      seen.map(row => row.heartbeat),
    ]);
    return rows.map(row => ({ shard: row.shard, epoch: Number(row.epoch) }));
  }

  override async release(replica: string, shards: readonly HeldShard[]): Promise<void> {
    await this.dataSource.query(sql.release, [replica, shards.map(held => held.shard), shards.map(held => held.epoch)]);
  }

  override async forget(replicas: readonly string[]): Promise<void> {
    await this.dataSource.query(sql.forget, [replicas]);
  }

  /** TypeORM answers `[rows, count]` for an update with `returning`. */
  private async rows<T>(statement: string, parameters: unknown[]): Promise<T[]> {
    const answer = await this.dataSource.query<T[] | [T[], number]>(statement, parameters);
    return Array.isArray(answer[0]) ? answer[0] : (answer as T[]);
  }
}

function replicaRowOf(replica: string, row: Row): ReplicaRow {
  return { replica, heartbeat: Number(row.heartbeat), isHeld: row.is_held ?? false };
}

function shardRowsOf({ shards, owner, epoch, heartbeat }: Row): ShardRow[] {
  const row = { owner, epoch: Number(epoch), heartbeat: heartbeat === null ? null : Number(heartbeat) };
  return (shards?.split(',') ?? []).map(shard => ({ shard: Number(shard), ...row }));
}
