import type { DataSource } from 'typeorm';
import { type HeldShard, type OwnershipRows, type ShardRow, ShardStore } from './ownership.ports';

interface Row {
  shard: number | null;
  owner: string | null;
  epoch: string | null;
  replica: string | null;
  heartbeat: string | null;
}

/**
 * Shards in PostgreSQL, in the tables `shard (shard, owner, epoch)` and `replica (id, heartbeat)` of the service. Every statement that locks several
 * shard rows takes them in order, so that no two can deadlock.
 */
export class PostgresShardStore extends ShardStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async heartbeat(replica: string): Promise<OwnershipRows> {
    await this.dataSource.query(
      `insert into replica (id, heartbeat) values ($1, 1) on conflict (id) do update set heartbeat = replica.heartbeat + 1`,
      [replica],
    );
    // A second statement, so that it sees the heartbeat above. One statement for both tables, so that owner and heartbeat are from the
    // same instant.
    const rows = await this.rows<Row>(
      `select s.shard, s.owner, s.epoch, r.id as replica, r.heartbeat
         from shard s full join replica r on r.id = s.owner order by s.shard`,
      [],
    );
    const heartbeats = new Map(rows.map(row => [row.replica, Number(row.heartbeat)]));
    heartbeats.delete(null);
    return {
      replicas: [...heartbeats].map(([id, heartbeat]) => ({ replica: id!, heartbeat })),
      shards: rows.flatMap(row => (row.shard === null ? [] : [shardRowOf(row.shard, row)])),
    };
  }

  override async take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]> {
    const rows = await this.rows<{ shard: number; epoch: string }>(
      `with seen as (select * from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as t(shard, epoch, heartbeat)),
       -- Waits for what holds the row under the former owner (ingests, negative verdicts): what it wrote is then seen by the new one.
       free as materialized (
         select s.shard from shard s join seen using (shard)
          where s.epoch = seen.epoch
            and (select r.heartbeat from replica r where r.id = s.owner) is not distinct from seen.heartbeat
          order by s.shard for update of s)
       update shard set owner = $1, epoch = shard.epoch + 1
         from free join seen using (shard)
        where shard.shard = free.shard and shard.epoch = seen.epoch
       returning shard.shard, shard.epoch`,
      [replica, seen.map(row => row.shard), seen.map(row => row.epoch), seen.map(row => row.heartbeat)],
    );
    return rows.map(row => ({ shard: row.shard, epoch: Number(row.epoch) }));
  }

  override async release(replica: string, shards: readonly HeldShard[]): Promise<void> {
    await this.dataSource.query(
      `with mine as materialized (
         select s.shard from shard s join unnest($2::smallint[], $3::bigint[]) as t(shard, epoch) using (shard, epoch)
          where s.owner = $1 order by s.shard for update of s)
       update shard set owner = null from mine where shard.shard = mine.shard`,
      [replica, shards.map(held => held.shard), shards.map(held => held.epoch)],
    );
  }

  override async forget(replicas: readonly string[]): Promise<void> {
    await this.dataSource.query(
      'delete from replica where id = any($1::uuid[]) and not exists (select from shard where owner = replica.id)',
      [replicas],
    );
  }

  /** TypeORM answers `[rows, count]` for an update with `returning`. */
  private async rows<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    const answer = await this.dataSource.query<T[] | [T[], number]>(sql, parameters);
    return Array.isArray(answer[0]) ? answer[0] : (answer as T[]);
  }
}

function shardRowOf(shard: number, { owner, epoch, heartbeat }: Row): ShardRow {
  return { shard, owner, epoch: Number(epoch), heartbeat: heartbeat === null ? null : Number(heartbeat) };
}
