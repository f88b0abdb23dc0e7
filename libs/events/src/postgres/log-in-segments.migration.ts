import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Records of a topic stand in segments of about a page, in one sequence of positions per topic; a group's offsets are one row (ADR 0091).
 *
 * A publisher holds the row of its topic from taking positions until its commit, so positions appear in commit order, without gaps.
 *
 * The rows of the log move over, in the order of its partitions, and so do the positions of groups. New positions begin behind all
 * former ones, so that a place (`partition/offset`) never names two records. Processes of the release before fail from here on in every
 * publish, read, heartbeat and commit, and lose nothing: an outbox keeps its rows, and what they had not committed is read again.
 */
export class LogInSegments1806000000000 extends ForwardMigration {
  override readonly name = 'LogInSegments1806000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

const statements = [
  // In the order in which a publisher of the release before locks them.
  'lock table event_partition, event_log, event_offset, event_member in access exclusive mode',

  // Moved by every publish: room on the page keeps the updates heap-only.
  `alter table event_topic add column next_position bigint not null default 0, set (fillfactor = 20)`,

  `create table event_segment (
     topic_id smallint not null,
     first_position bigint not null,
     records int not null,
     bytes int not null,
     published_at timestamptz not null,
     ce_type text not null,
     ce_source text not null,
     headers text not null,
     payloads text not null,
     primary key (topic_id, first_position)
   ) with (toast_tuple_target = 8160)`,
  // Sealed payloads do not compress. A segment is cut to a page, so only a large event leaves its row.
  'alter table event_segment alter column headers set storage external, alter column payloads set storage external',
  `comment on column event_segment.headers is
     'JSON, an array for each record: [partition, key, ce_id, ce_time, traceparent, dlq_reason], without nulls at its end'`,
  `comment on column event_segment.payloads is 'A line for each record'`,

  `create table event_group (
     topic_id smallint not null references event_topic,
     group_name text not null,
     owners int[] not null,
     epochs int[] not null,
     positions bigint[] not null,
     primary key (topic_id, group_name)
   ) with (fillfactor = 20, toast_tuple_target = 8160)`,
  `comment on table event_group is
     'By partition: lock_key of the owner (0: nobody), claims so far, next position to read. The epoch fences the commit of a former owner'`,

  // Positions that keep the order of each partition, also where the clock stepped back between two records.
  `create table moved as
   select topic_id, partition, position,
          (select max(p.next_position) from event_partition p where p.topic_id = l.topic_id) - 1
            + row_number() over (partition by topic_id order by reached_at, partition, position) as moved_to
     from (select topic_id, partition, position,
                  max(published_at) over (partition by topic_id, partition order by position) as reached_at
             from event_log) l`,
  'create index on moved (topic_id, partition, position)',
  `update event_topic t set next_position = coalesce(
     (select max(m.moved_to) + 1 from moved m where m.topic_id = t.id),
     (select max(p.next_position) from event_partition p where p.topic_id = t.id), 0)`,
  `insert into event_segment (topic_id, first_position, records, bytes, published_at, ce_type, ce_source, headers, payloads)
   select topic_id, moved_to, 1, octet_length(data), published_at, ce_type, ce_source,
          json_build_array(json_build_array(partition, key, ce_id, ce_time, traceparent, dlq_reason))::text, translate(data, E'\\n', ' ')
     from event_log join moved using (topic_id, partition, position)
    order by topic_id, moved_to`,
  `insert into event_group (topic_id, group_name, owners, epochs, positions)
   select topic_id, group_name, array_agg(0 order by partition), array_agg(epoch::int order by partition),
          array_agg(coalesce((select min(m.moved_to) from moved m where m.topic_id = o.topic_id and m.partition = o.partition
                                 and m.position >= o.position), t.next_position) order by partition)
     from event_offset o join event_topic t on t.id = o.topic_id
    group by topic_id, group_name`,

  'drop table moved, event_log, event_offset, event_partition, event_member',
  // Alive while the heartbeat is fresh and the member's session holds advisory lock (event member class, lock_key).
  `create table event_member (
     lock_key int primary key,
     topic_id smallint not null references event_topic,
     group_name text not null,
     heartbeat_at timestamptz not null
   )`,

  // For people and tests; the platform reads segments.
  `create function event_records() returns table (topic text, partition int, "position" bigint, key text, ce_id text, ce_type text,
     ce_source text, ce_time text, traceparent text, dlq_reason text, data text, published_at timestamptz) language plpgsql stable as $$ begin return query
     select t.name, (r.header->>0)::int, s.first_position + r.at - 1, r.header->>1, r.header->>2, s.ce_type, s.ce_source, r.header->>3,
            r.header->>4, r.header->>5, r.data, s.published_at
       from event_topic t join event_segment s on s.topic_id = t.id
      cross join lateral rows from (json_array_elements(s.headers::json), string_to_table(s.payloads, E'\\n')) with ordinality
        as r(header, data, at);
   end $$`,
];
