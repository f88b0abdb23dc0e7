import { FirstMigration, ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * The event log of the PostgreSQL transport. Records of a topic stand in segments of about a page, in one sequence of positions per topic;
 * a group's offsets are one row (ADR 0091).
 *
 * A publisher locks the row of its topic, takes its positions and commits; so positions are assigned in commit order, without gaps, and a
 * reader that has seen position n has seen every one before it. (A sequence would let a lower id commit after a higher one and be skipped;
 * reading behind the oldest running transaction would let any long transaction of the cluster stop all consumers.)
 */
class CreateEventLog1820000000000 extends FirstMigration {
  override readonly name = 'CreateEventLog1820000000000';
  protected override readonly replaces = 'LogInSegments1806000000000';
  protected override readonly statements = [topic, segment, group, member, records];
}

// Updated by every publish: room on the page keeps the updates heap-only.
const topic = `
  create table event_topic (
    id smallint generated always as identity primary key,
    name text not null unique,
    partitions int not null check (partitions between 1 and 1024),
    next_position bigint not null default 0
  ) with (fillfactor = 20)`;

const segment = `
  create table event_segment (
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
  ) with (toast_tuple_target = 8160);
  -- Sealed payloads do not compress, and storage out of line costs a second table and index. A segment is cut to a page, so only a large
  -- event leaves its row.
  alter table event_segment alter column headers set storage external, alter column payloads set storage external;
  comment on column event_segment.headers is
    'JSON, an array for each record: [partition, key, ce_id, ce_time, traceparent, dlq_reason], without nulls at its end';
  comment on column event_segment.payloads is 'A line for each record'`;

const group = `
  create table event_group (
    topic_id smallint not null references event_topic,
    group_name text not null,
    owners int[] not null,
    epochs int[] not null,
    positions bigint[] not null,
    primary key (topic_id, group_name)
  ) with (fillfactor = 20, toast_tuple_target = 8160);
  comment on table event_group is
    'By partition: lock_key of the owner (0: nobody), claims so far, next position to read. The epoch fences the commit of a former owner'`;

// Alive while the heartbeat is fresh and the member's session holds advisory lock (event member class, lock_key).
const member = `
  create table event_member (
    lock_key int primary key,
    topic_id smallint not null references event_topic,
    group_name text not null,
    heartbeat_at timestamptz not null
  )`;

// For people and tests; the platform reads segments.
const records = `
  create function event_records() returns table (topic text, partition int, "position" bigint, key text, ce_id text, ce_type text,
    ce_source text, ce_time text, traceparent text, dlq_reason text, data text, published_at timestamptz)
  language plpgsql stable as $$ begin return query
     select t.name, (r.header->>0)::int, s.first_position + r.at - 1, r.header->>1, r.header->>2, s.ce_type, s.ce_source, r.header->>3,
            r.header->>4, r.header->>5, r.data, s.published_at
       from event_topic t join event_segment s on s.topic_id = t.id
      cross join lateral rows from (json_array_elements(s.headers::json), string_to_table(s.payloads, E'\\n')) with ordinality
        as r(header, data, at);
   end $$`;

/** A cell never reads what lies outside of its ranges, and retention must not wait for it (P-1.12). */
class RangesThatEnd1830000000000 extends ForwardMigration {
  override readonly name = 'RangesThatEnd1830000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table event_group add column ended boolean[]');
    const meaning = 'By partition: the group has read all that its range holds, and the range has an end. Null: it has no ranges';
    await runner.query(`comment on column event_group.ended is '${meaning}'`);
  }
}

/** Of the event log, in order of application. */
export const migrations = [CreateEventLog1820000000000, RangesThatEnd1830000000000];
