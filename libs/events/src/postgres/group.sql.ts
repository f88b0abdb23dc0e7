/** Partitions of a group beside the commits of one of its members, where it owns them under the epoch of the commit. */
const committed = `
  unnest(g.owners, g.epochs, g.positions) with ordinality as u(owner, epoch, position, at)
    left join (select partition, epoch, max(position) as position from unnest($4::int[], $5::int[], $6::bigint[]) as c(partition, epoch, position)
                group by partition, epoch) done
    on done.partition = u.at - 1 and u.owner = $3 and u.epoch = done.epoch`;

/** The owners of a group without $3, in those partitions that a condition names. */
const ownersWithout = (those: string): string => `
  (select array_agg(case when u.owner = $3 and ${those} then 0 else u.owner end order by u.at) from unnest(g.owners) with ordinality as u(owner, at))`;

/**
 * Statements of consumer groups: members, their locks, and the row of a group with the owner (0: nobody), epoch and position of each
 * partition. Each change of a row computes its arrays from the row's newest version, so two changes never undo each other.
 */
export const groupSql = {
  hold: 'select pg_try_advisory_lock($1, $2) as held',
  letGo: 'select pg_advisory_unlock($1, $2)',
  notify: "select pg_notify(channel, '') from unnest($1::text[]) channel",
  removeMembers: 'delete from event_member where lock_key = any($1)',

  join: `
  with place as (
    insert into event_group (topic_id, group_name, owners, epochs, positions)
    values ($1, $2, array_fill(0, array[$3::int]), array_fill(0, array[$3::int]), array_fill(0::bigint, array[$3::int]))
    on conflict do nothing
  )
  insert into event_member (lock_key, topic_id, group_name, heartbeat_at) values ($4, $1, $2, clock_timestamp())
  on conflict (lock_key) do update set heartbeat_at = excluded.heartbeat_at`,

  // pg_locks shows at once that a killed process is gone; the heartbeat covers one that hangs with its connection open.
  heartbeat: `
  with me as (
    update event_member set heartbeat_at = clock_timestamp() where lock_key = $1 returning 1
  ), held as materialized (
    select objid::bigint as lock_key from pg_locks
    where locktype = 'advisory' and classid = $5::int::oid and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  ), live as materialized (
    select lock_key from event_member m
    where topic_id = $2 and group_name = $3 and lock_key <> $1
      and heartbeat_at > clock_timestamp() - $4::int * interval '1 millisecond'
      and exists (select 1 from held where held.lock_key = m.lock_key)
  ), owned as materialized (
    select u.at - 1 as partition, u.owner, u.epoch
    from event_group g cross join lateral unnest(g.owners, g.epochs) with ordinality as u(owner, epoch, at)
    where g.topic_id = $2 and g.group_name = $3 and u.owner <> 0
  )
  select exists (select 1 from me) as is_member,
         (select array_agg(lock_key) from live) as members,
         (select array_agg(distinct owner) from owned where owner <> $1 and owner not in (select lock_key from live)) as dead,
         (select json_agg(json_build_array(partition, epoch)) from owned where owner = $1) as owned,
         (select next_position from event_topic where id = $2) as end_position`,

  claim: `
  with held as materialized (
    select owners, epochs, positions from event_group where topic_id = $1 and group_name = $2 for update
  ), place as materialized (
    select u.* from held cross join lateral unnest(held.owners, held.epochs, held.positions) with ordinality as u(owner, epoch, position, at)
  ), free as materialized (
    select at from place where owner = 0 or owner = any($3::int[]) order by at limit $4
  ), taken as materialized (
    select array_agg(case when free.at is null then place.owner else $5::int end order by place.at) as owners,
           array_agg(case when free.at is null then place.epoch else place.epoch + 1 end order by place.at) as epochs
    from place left join free using (at)
  ), written as (
    update event_group g set owners = taken.owners, epochs = taken.epochs from taken
    where g.topic_id = $1 and g.group_name = $2 and exists (select 1 from free)
  )
  select (at - 1)::int as partition, epoch + 1 as epoch, position from place join free using (at) order by at`,

  release: `
  update event_group g set owners = ${ownersWithout('u.at - 1 = any($4::int[])')} where g.topic_id = $1 and g.group_name = $2`,

  // A position never goes back: of two commits on their way, the later one may arrive first.
  commit: `
  update event_group g set positions = (select array_agg(greatest(u.position, done.position) order by u.at) from ${committed})
  where g.topic_id = $1 and g.group_name = $2
  returning (select array_agg(done.partition) from ${committed} where done.partition is not null) as partitions`,

  leave: `
  with freed as (
    update event_group g set owners = ${ownersWithout('true')} where g.topic_id = $1 and g.group_name = $2 and $3 = any(g.owners)
  )
  delete from event_member where lock_key = $3`,
} as const;
