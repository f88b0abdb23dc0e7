import { createOutboxTable } from '@paycode/events';
import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Deliveries, attempts and write-once verdicts, all insert-only and range-partitioned by transaction id: blocks are opened ahead of the ids in
 * use and dropped when they are old; the default partition takes ids outside every block. Lanes and replicas determine who may act on a delivery.
 */
export class CreateDeliveries1760000000000 extends ForwardMigration {
  override readonly name = 'CreateDeliveries1760000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

const statements = [
  `create table replica (
     id uuid primary key,
     beat bigint not null default 0
   ) with (fillfactor = 50)`,
  // The beat is not in the lane rows, because ingest and negative verdicts lock those FOR SHARE and a beat must not wait for them.
  `comment on table replica is 'Dispatchers alive. A beat that stands still for the lease time on the clock of an observer means dead.'`,
  `create table lane (
     lane smallint primary key check (lane between 0 and 255),
     owner uuid,
     epoch bigint not null default 0,
     low_seq bigint not null default 1
   ) with (fillfactor = 50)`,
  `comment on column lane.epoch is 'Fence: raised by every change of owner; negative verdicts and claims name it.'`,
  `comment on column lane.low_seq is 'Every delivery of the lane with a lower seq is resolved.'`,
  `insert into lane (lane) select generate_series(0, 255)`,

  `create sequence delivery_seq as bigint`,
  `create table delivery (
     transaction_id bigint primary key check (transaction_id > 0),
     lane smallint not null,
     seq bigint not null,
     epoch bigint not null,
     merchant_id bigint not null,
     kind text not null,
     status text not null,
     reversible boolean not null,
     stub boolean not null default false,
     reference_transaction_id bigint not null default 0,
     completed_at timestamptz,
     received_at timestamptz not null default clock_timestamp(),
     payload text check ((payload is null) = stub)
   ) partition by range (transaction_id)`,
  // Payloads stay in the row: sealed ones do not compress, and storage out of line costs a second table and index per row.
  `alter table delivery alter column payload set storage external`,
  `create table delivery_default partition of delivery default with (toast_tuple_target = 8160)`,
  `create index delivery_lane_seq on delivery (lane, seq)`,
  // The few waiting rows that no replica has claimed, so that a query does not read the settled ones.
  `create index delivery_parked on delivery (lane, seq) where epoch = 0 and not stub`,
  `create index delivery_waiting on delivery (merchant_id, seq) where epoch = 0 and not stub`,
  `comment on column delivery.epoch is 'Lane epoch under which attempt 1 was claimed by the insert itself; 0: not claimed yet.'`,
  `comment on column delivery.payload is 'Notification sealed as compact JWE; null for the stub of a transaction that was closed before it arrived.'`,

  `create table attempt (
     transaction_id bigint not null,
     attempt smallint not null check (attempt > 0),
     epoch bigint not null,
     started_at timestamptz not null default clock_timestamp(),
     outcome text,
     elapsed_ms integer,
     primary key (transaction_id, attempt)
   ) partition by range (transaction_id)`,
  `create table attempt_default partition of attempt default`,
  `comment on table attempt is 'Claims of attempts that the delivery row does not imply. outcome: repeats of notices only; the verdict has the others.'`,

  `create table verdict (
     transaction_id bigint primary key,
     kind text not null check (kind in ('ACKED_HTTP', 'ACKED_PULL', 'NOT_APPLICABLE', 'CLOSED_NON200', 'CLOSED_CONN', 'CLOSED_TIMEOUT',
       'CLOSED_NEVER_SENT', 'CLOSED_EXHAUSTED', 'CLOSED_BACKSTOP')),
     attempt smallint,
     outcome text,
     elapsed_ms integer,
     armed_at timestamptz,
     started_at timestamptz,
     at timestamptz not null default clock_timestamp()
   ) partition by range (transaction_id)`,
  `create table verdict_default partition of verdict default`,
  `comment on table verdict is 'Insert only, write once: the first verdict stands.'`,

  `create table retention_block (
     block integer generated always as identity primary key,
     lower bigint not null,
     upper bigint not null check (upper > lower),
     passed_at timestamptz
   )`,
  `comment on table retention_block is 'Partitions <table>_<block> of delivery, attempt and verdict. passed_at: when the ids in use left it behind.'`,

  // The only table with updates: failed notices that move no money, a small fraction of the traffic.
  `create table notice_retry (
     transaction_id bigint primary key,
     lane smallint not null,
     attempt smallint not null,
     due_at timestamptz not null
   )`,
  `create index notice_retry_due on notice_retry (lane, due_at)`,

  ...createOutboxTable,
];
