import type { DataSource } from 'typeorm';
import type { ShardRow } from '../domain/plan-shards';
import { ShardStore } from '../shard-ownership.ports';

/** Replicas and shards in PostgreSQL: one small statement per replica and second, plus one per change. */
export class PostgresShardStore extends ShardStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async beat(replica: string): Promise<{ replicas: { replica: string; beat: number }[]; shards: ShardRow[] }> {
    await this.dataSource.query(
      'insert into replica (replica) values ($1) on conflict (replica) do update set beat = replica.beat + 1',
      [replica],
    );
    const replicas: { replica: string; beat: string }[] = await this.dataSource.query('select replica, beat from replica');
    const shards: { shard: number; owner: string | null; epoch: string }[] = await this.dataSource.query(
      'select shard, owner, epoch from shard order by shard',
    );
    return {
      replicas: replicas.map(row => ({ replica: row.replica, beat: Number(row.beat) })),
      shards: shards.map(row => ({ shard: row.shard, owner: row.owner, epoch: Number(row.epoch) })),
    };
  }

  override async claim(replica: string, shards: readonly ShardRow[]): Promise<number[]> {
    // The epoch is the compare-and-set: of two claimers the second finds it moved. Rows are locked in one order.
    const rows: { shard: number }[] = await this.dataSource.query(
      `with seen as (select s.shard from shard s join unnest($2::smallint[], $3::bigint[]) as t(shard, epoch)
                       on t.shard = s.shard and t.epoch = s.epoch order by s.shard for update of s),
            taken as (update shard set owner = $1, epoch = epoch + 1 where shard in (select shard from seen) returning shard)
       select shard from taken`,
      [replica, shards.map(({ shard }) => shard), shards.map(({ epoch }) => epoch)],
    );
    return rows.map(({ shard }) => shard);
  }

  override async release(replica: string, shards: readonly number[]): Promise<void> {
    await this.dataSource.query('update shard set owner = null, epoch = epoch + 1 where owner = $1 and shard = any($2)', [
      replica,
      shards,
    ]);
  }

  override async forget(replicas: readonly string[]): Promise<void> {
    await this.dataSource.query(
      `with freed as (update shard set owner = null, epoch = epoch + 1 where owner = any($1::uuid[]))
       delete from replica where replica = any($1::uuid[])`,
      [replicas],
    );
  }
}
