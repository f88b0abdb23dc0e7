import { joinedPayload } from '@paycode/persistence';

/**
 * Statements of the log itself. An append announces itself in its transaction: PostgreSQL lets one announcing transaction commit at a time,
 * in the whole server. Publishers are few, and to announce it by a second statement would cost half of the append again.
 */
export const eventLogSql = {
  topics: 'select id, name from event_topic',
  findTopic: 'select id, name, partitions from event_topic where name = $1',
  createTopic: 'insert into event_topic (name, partitions) values ($1, $2) on conflict (name) do nothing',

  // The segments of one topic, which stays locked until the commit; `step`: records of the segments before.
  append: `
  with moved as (
    update event_topic set next_position = next_position + $2::int where id = $1::smallint
    returning id as topic_id, next_position - $2::int as first_position
  )
  insert into event_segment (topic_id, first_position, records, bytes, published_at, ce_type, ce_source, headers, payloads)
  select topic_id, first_position + step, records, bytes, clock_timestamp(), ce_type, ce_source, headers, ${joinedPayload('$9', 'start', 'length')}
  from moved cross join unnest($3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $10::int[], $11::int[])
    as segment(step, records, bytes, ce_type, ce_source, headers, start, length)
  returning pg_notify('paycode_events_' || topic_id, '')`,

  // Segments from the one that holds position $2 on, at most $3, with at most $4 records or $5 bytes before the last. No row: there is
  // nothing from $2 on. A row without a segment: what there was is deleted. Positions end where this snapshot says.
  read: `
  select t.next_position as end_position, s.first_position, s.ce_type, s.ce_source, s.headers, s.payloads,
         (extract(epoch from clock_timestamp() - s.published_at) * 1000)::float8 as age_ms
  from event_topic t left join lateral (
    select * from (
      select l.*, sum(l.records) over before_it as records_before, sum(l.bytes) over before_it as bytes_before from (
        select * from event_segment where topic_id = $1 and first_position >= coalesce(
          (select first_position from event_segment where topic_id = $1 and first_position <= $2 order by first_position desc limit 1), $2)
        order by first_position limit $3
      ) l window before_it as (order by l.first_position rows between unbounded preceding and 1 preceding)
    ) sized
    where sized.records_before is null or (sized.records_before < $4 and sized.bytes_before < $5)
  ) s on true
  where t.id = $1 and t.next_position > $2
  order by s.first_position`,

  removeDeadMembers: "delete from event_member where heartbeat_at < statement_timestamp() - interval '1 day'",

  // Positions are in order of publication. So this reads only the first segment of a topic when it is young, and only the first rows of the
  // others. $3: segments.
  deleteHeads: `
  with leader as materialized (
    select pg_try_advisory_xact_lock($1) as is_leader
  ), consumed as materialized (
    select min(p.position) as position from event_group g cross join lateral unnest(g.positions) as p(position) where g.topic_id = $2
  ), stale as materialized (
    select 1 from leader cross join lateral (
      select published_at from event_segment where leader.is_leader and topic_id = $2 order by first_position limit 1
    ) oldest
    where oldest.published_at < statement_timestamp() - least($4::float8, $5::float8) * interval '1 millisecond'
  ), doomed as materialized (
    select head.first_position
    from stale cross join consumed cross join lateral (
      select first_position, records, published_at from event_segment where topic_id = $2 order by first_position limit $3
    ) head
    where head.published_at < statement_timestamp() - $4::float8 * interval '1 millisecond'
       or (head.first_position + head.records <= consumed.position
           and head.published_at < statement_timestamp() - $5::float8 * interval '1 millisecond')
  ), deleted as (
    delete from event_segment s using doomed
    where s.topic_id = $2 and s.first_position = doomed.first_position
    returning s.records
  )
  select coalesce(sum(records), 0)::int as events from deleted`,
} as const;
