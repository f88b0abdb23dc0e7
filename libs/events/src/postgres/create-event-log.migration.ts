import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * The event log of the PostgreSQL transport.
 *
 * `event_partition` holds the next position of each partition. A publisher locks that row, takes its positions and commits; so
 * positions are assigned in commit order, without gaps, and a reader that has seen position n has seen every one before it. (A
 * sequence would let a lower id commit after a higher one and be skipped; reading behind the oldest running transaction would let any
 * long transaction of the cluster stop all consumers.)
 */
export class CreateEventLog1763600000000 extends ForwardMigration {
  override readonly name = 'CreateEventLog1763600000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

const statements = [
  `create table event_topic (
     id smallint generated always as identity primary key,
     name text not null unique,
     partitions int not null check (partitions between 1 and 1024)
   )`,
  // Updated by every publish: room on the page keeps the updates heap-only.
  `create table event_partition (
     topic_id smallint not null references event_topic,
     partition smallint not null,
     next_position bigint not null default 0,
     primary key (topic_id, partition)
   ) with (fillfactor = 20)`,
  `create table event_log (
     topic_id smallint not null,
     partition smallint not null,
     position bigint not null,
     key text not null,
     ce_id text not null,
     ce_type text not null,
     ce_source text not null,
     ce_time text not null,
     traceparent text,
     dlq_reason text,
     data text not null,
     published_at timestamptz not null,
     primary key (topic_id, partition, position)
   ) with (toast_tuple_target = 8160)`,
  // Sealed data does not compress, and moving it out of line costs a second table and index per event: it stays in its row.
  `alter table event_log alter column data set storage external`,
  // One row per group and partition. owner and epoch fence the commit of a member that has lost the partition.
  `create table event_offset (
     topic_id smallint not null references event_topic,
     group_name text not null,
     partition smallint not null,
     position bigint not null default 0,
     owner uuid,
     epoch bigint not null default 0,
     primary key (topic_id, group_name, partition)
   ) with (fillfactor = 20)`,
  // Alive while the beat is fresh and the member's session holds advisory lock (event member class, lock_key).
  `create table event_member (
     id uuid primary key,
     topic_id smallint not null references event_topic,
     group_name text not null,
     lock_key int not null,
     beat_at timestamptz not null
   )`,
];
