import { livenessSql } from './liveness.sql';

/** Statements of shards and of the replicas that own them. */
export const shardSql = {
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
