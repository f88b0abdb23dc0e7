/** Statements of the log itself. */
export const eventLogSql = {
  topics: 'select id, name from event_topic',
  findTopic: 'select id, name, partitions from event_topic where name = $1',

  createTopic: `
  with topic as (insert into event_topic (name, partitions) values ($1, $2) on conflict (name) do nothing returning id, partitions)
  insert into event_partition (topic_id, partition)
  select topic.id, n from topic, generate_series(0, topic.partitions - 1) n`,

  // `held` locks the counters in one order, so that two publishers cannot deadlock. They stay locked until the commit.
  append: `
  with event as materialized (
    select e.*, row_number() over (partition by e.topic_id, e.partition order by e.ordinal) - 1 as step
    from unnest($1::smallint[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[]) with ordinality
      as e(topic_id, partition, key, ce_id, ce_type, ce_source, ce_time, traceparent, dlq_reason, data, ordinal)
  ), wanted as materialized (
    select topic_id, partition, count(*) as events from event group by topic_id, partition
  ), held as materialized (
    select p.topic_id, p.partition from event_partition p join wanted using (topic_id, partition)
    order by p.topic_id, p.partition for update of p
  ), moved as (
    update event_partition p set next_position = p.next_position + wanted.events
    from held join wanted using (topic_id, partition)
    where p.topic_id = held.topic_id and p.partition = held.partition
    returning p.topic_id, p.partition, p.next_position - wanted.events as first_position
  )
  insert into event_log (topic_id, partition, position, key, ce_id, ce_type, ce_source, ce_time, traceparent, dlq_reason, data, published_at)
  select topic_id, partition, first_position + step, key, ce_id, ce_type, ce_source, ce_time, traceparent, dlq_reason, data, clock_timestamp()
  from event join moved using (topic_id, partition)`,

  // Reads the head in event_partition first, so that an idle partition costs no read of the log.
  read: `
  select w.partition, l.position, l.key, l.ce_id, l.ce_type, l.ce_source, l.ce_time, l.traceparent, l.dlq_reason, l.data,
         (extract(epoch from clock_timestamp() - l.published_at) * 1000)::float8 as age_ms
  from unnest($2::smallint[], $3::bigint[]) as w(partition, position)
  join event_partition p on p.topic_id = $1 and p.partition = w.partition and p.next_position > w.position
  cross join lateral (
    select * from event_log where topic_id = $1 and partition = w.partition and position >= w.position order by position limit $4
  ) l
  order by w.partition, l.position`,

  removeDeadMembers: "delete from event_member where heartbeat_at < clock_timestamp() - interval '1 day'",

  // Positions are in order of publication. So this reads only the first event of a partition when it is young, and only the first rows of
  // the others.
  deleteHeads: `
  with leader as materialized (
    select pg_try_advisory_xact_lock($1) as is_leader
  ), consumed as materialized (
    select partition, min(position) as position from event_offset where topic_id = $2 group by partition
  ), stale as materialized (
    select p.partition
    from leader
    join event_partition p on leader.is_leader and p.topic_id = $2
    cross join lateral (
      select l.published_at from event_log l where l.topic_id = $2 and l.partition = p.partition order by l.position limit 1
    ) oldest
    where oldest.published_at < clock_timestamp() - least($4::float8, $5::float8) * interval '1 millisecond'
  ), doomed as materialized (
    select head.partition, head.position
    from stale
    left join consumed using (partition)
    cross join lateral (
      select l.partition, l.position, l.published_at from event_log l
      where l.topic_id = $2 and l.partition = stale.partition order by l.position limit $3
    ) head
    where head.published_at < clock_timestamp() - $4::float8 * interval '1 millisecond'
       or (head.position < consumed.position and head.published_at < clock_timestamp() - $5::float8 * interval '1 millisecond')
  )
  delete from event_log l using doomed
  where l.topic_id = $2 and l.partition = doomed.partition and l.position = doomed.position`,
} as const;
