import { preparedQuery } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import { type LivenessSession, livenessSql } from './liveness-session';
import { type HeldShard, type OwnershipRows, type ReplicaRow, type ShardRow, ShardStore } from './ownership.ports';

/** Statements of shards and of the replicas that own them. */
const shardSql = {
  // Waits, as a takeover does, for what a predecessor's connection still executes. One statement: a predecessor is gone with all of its shards or not.
  succeed: `with me as (
         insert into replica (id, heartbeat, instance) values ($1, 1, $2) on conflict (id) do update set instance = excluded.instance),
       former as materialized (delete from replica where instance = $2 and id <> $1 returning id),
       theirs as materialized (select s.shard from shard s join former on s.owner = former.id order by s.shard for update of s)
       update shard set owner = null from theirs where shard.shard = theirs.shard`,

  heartbeat:
    'insert into replica (id, heartbeat) values ($1, 1) on conflict (id) do update set heartbeat = replica.heartbeat + 1',

  // Runs after the heartbeat, so that it sees it. It reads both tables in one statement, so that owner and heartbeat are from the same
  // instant. Shards of one owner and epoch are one row.
  rows: `with ${livenessSql.heldLocks}
         select s.owner, s.epoch, string_agg(s.shard::text, ',') as shards, r.id as replica, r.heartbeat, r.is_held
         from shard s full join (select id, heartbeat, ${livenessSql.isHeld('id')} as is_held from replica) r on r.id = s.owner
         group by s.owner, s.epoch, r.id, r.heartbeat, r.is_held`,

  take: `with seen as (select * from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as t(shard, epoch, heartbeat)),
       -- Waits for transactions of the former owner that lock the row (ingests, negative verdicts), so that the new owner sees their rows.
       free as materialized (
         select s.shard from shard s join seen using (shard)
          where s.epoch = seen.epoch
            and (select r.heartbeat from replica r where r.id = s.owner) is not distinct from seen.heartbeat
          order by s.shard for update of s)
       update shard set owner = $1, epoch = shard.epoch + 1
         from free join seen using (shard)
        where shard.shard = free.shard and shard.epoch = seen.epoch
       returning shard.shard, shard.epoch`,

  release: `with mine as materialized (
         select s.shard from shard s join unnest($2::smallint[], $3::bigint[]) as t(shard, epoch) using (shard, epoch)
          where s.owner = $1 order by s.shard for update of s)
       update shard set owner = null from mine where shard.shard = mine.shard`,

  forget: 'delete from replica where id = any($1::uuid[]) and not exists (select from shard where owner = replica.id)',
} as const;

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
    await this.dataSource.query(shardSql.succeed, [replica, instance]);
  }

  override async heartbeat(replica: string): Promise<OwnershipRows> {
    this.liveness?.keep(replica);
    const before = this.liveness?.standing;
    await preparedQuery(this.dataSource, { name: 'replica-heartbeat', text: shardSql.heartbeat }, [replica]);
    const rows = await preparedQuery<Row>(this.dataSource, { name: 'shard-rows', text: shardSql.rows }, []);
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
    const rows = await this.rows<{ shard: number; epoch: string }>(shardSql.take, [
      replica,
      seen.map(row => row.shard),
      seen.map(row => row.epoch),
      seen.map(row => row.heartbeat),
    ]);
    return rows.map(row => ({ shard: row.shard, epoch: Number(row.epoch) }));
  }

  override async release(replica: string, shards: readonly HeldShard[]): Promise<void> {
    await this.dataSource.query(shardSql.release, [replica, shards.map(held => held.shard), shards.map(held => held.epoch)]);
  }

  override async forget(replicas: readonly string[]): Promise<void> {
    await this.dataSource.query(shardSql.forget, [replicas]);
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
