/** Statements of consumer groups: members, their locks, the offsets of their partitions. */
export const groupSql = {
  hold: 'select pg_try_advisory_lock($1, $2) as held',
  letGo: 'select pg_advisory_unlock($1, $2)',
  notify: 'select pg_notify($1, payload) from unnest($2::text[]) payload',
  removeMembers: 'delete from event_member where id = any($1)',

  join: `
  with offsets as (
    insert into event_offset (topic_id, group_name, partition) select $1, $2, n from generate_series(0, $3::int - 1) n
    on conflict do nothing
  )
  insert into event_member (id, topic_id, group_name, lock_key, heartbeat_at) values ($4, $1, $2, $5, clock_timestamp())
  on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,

  // pg_locks shows at once that a killed process is gone; the heartbeat covers one that hangs with its connection open.
  heartbeat: `
  with me as (
    update event_member set heartbeat_at = clock_timestamp() where id = $1 returning id
  ), held as materialized (
    select objid::bigint as lock_key from pg_locks
    where locktype = 'advisory' and classid = $5::int::oid and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  ), live as materialized (
    select id from event_member m
    where topic_id = $2 and group_name = $3 and id <> $1
      and heartbeat_at > clock_timestamp() - $4::int * interval '1 millisecond'
      and exists (select 1 from held where held.lock_key = m.lock_key)
  ), mine as materialized (
    select partition, owner, epoch, position from event_offset where topic_id = $2 and group_name = $3 and owner is not null
  )
  select exists (select 1 from me) as is_member,
         (select array_agg(id::text) from live) as members,
         (select array_agg(distinct owner::text) from mine where owner <> $1 and owner not in (select id from live)) as dead,
         (select json_agg(json_build_array(partition, epoch::text)) from mine where owner = $1) as owned,
         (select sum(p.next_position - mine.position) from mine join event_partition p on p.topic_id = $2 and p.partition = mine.partition
          where mine.owner = $1) as lag`,

  claim: `
  with free as materialized (
    select partition from event_offset
    where topic_id = $1 and group_name = $2 and (owner is null or owner = any($3::uuid[]))
    order by partition limit $4 for update skip locked
  )
  update event_offset o set owner = $5, epoch = o.epoch + 1 from free
  where o.topic_id = $1 and o.group_name = $2 and o.partition = free.partition
  returning o.partition, o.epoch::text, o.position::text`,

  release: `
  update event_offset set owner = null where topic_id = $1 and group_name = $2 and partition = any($3::smallint[]) and owner = $4`,

  commit: `
  update event_offset o set position = done.position
  from unnest($4::smallint[], $5::bigint[], $6::bigint[]) as done(partition, epoch, position)
  where o.topic_id = $1 and o.group_name = $2 and o.partition = done.partition and o.owner = $3 and o.epoch = done.epoch
  returning o.partition`,

  leave: `
  with freed as (update event_offset set owner = null where topic_id = $1 and group_name = $2 and owner = $3)
  delete from event_member where id = $3`,
} as const;
