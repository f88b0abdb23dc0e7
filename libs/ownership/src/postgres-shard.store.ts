import type { DataSource } from 'typeorm';
import { type HeldShard, type OwnershipRows, type ShardRow, ShardStore } from './ownership.ports';
import { shardSql as sql } from './shard.sql';

interface Row {
  shard: number | null;
  owner: string | null;
  epoch: string | null;
  replica: string | null;
  heartbeat: string | null;
}

/**
 * Shards in PostgreSQL, in the tables `shard (shard, owner, epoch)` and `replica (id, heartbeat, instance)` of the service. Every statement that locks several
 * shard rows takes them in order, so that no two can deadlock.
 */
export class PostgresShardStore extends ShardStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async succeed(replica: string, instance: string): Promise<void> {
    await this.dataSource.query(sql.succeed, [replica, instance]);
  }

  override async heartbeat(replica: string): Promise<OwnershipRows> {
    await this.dataSource.query(sql.heartbeat, [replica]);
    const rows = await this.rows<Row>(sql.rows, []);
    const heartbeats = new Map(rows.map(row => [row.replica, Number(row.heartbeat)]));
    heartbeats.delete(null);
    return {
      replicas: [...heartbeats].map(([id, heartbeat]) => ({ replica: id!, heartbeat })),
      shards: rows.flatMap(row => (row.shard === null ? [] : [shardRowOf(row.shard, row)])),
    };
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

function shardRowOf(shard: number, { owner, epoch, heartbeat }: Row): ShardRow {
  return { shard, owner, epoch: Number(epoch), heartbeat: heartbeat === null ? null : Number(heartbeat) };
}
