import { createDeadLetterTable, createOutboxTable } from '@paycode/events';
import { FirstMigration } from '@paycode/persistence';

/**
 * Jobs, write-once decisions, the shards that replicas own, and the outbox. Jobs and decisions are range-partitioned by
 * transaction id, so that old ranges are dropped as partitions; the default partition takes ids that have no range yet.
 */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'AddIdRanges1811000000000';
  protected override readonly statements = [
    ...[job, decision, earlyAcknowledgement, idRange, shard, replica],
    ...[...createOutboxTable, ...createDeadLetterTable],
  ];
}

const job = `
  create table job (
    transaction_id bigint primary key check (transaction_id > 0),
    shard smallint not null check (shard between 0 and 255),
    merchant_id bigint not null,
    attempt smallint not null check (attempt >= 0),
    armed_at timestamptz not null default clock_timestamp(),
    due_at timestamptz not null,
    ack_token_hash uuid
  ) partition by range (transaction_id);
  create table job_default partition of job default with (fillfactor = 90);
  create index job_due on job (shard, due_at, transaction_id);
  comment on table job is 'Armed reversals. attempt 0: found by the audit, never armed by the dispatcher.';
  -- Proves that the dispatcher wrote the AckReceived (T-18).
  comment on column job.ack_token_hash
    is 'Of the ackToken that an AckReceived must carry; null: none (armed by an older release, or found by the audit)'`;

const decision = `
  create table decision (
    transaction_id bigint primary key check (transaction_id > 0),
    merchant_id bigint not null,
    kind text not null check (kind in ('SETTLED', 'REVERSED')),
    verdict text not null,
    reason text check ((reason is null) = (kind = 'SETTLED')),
    at timestamptz not null default clock_timestamp()
  ) partition by range (transaction_id);
  create table decision_default partition of decision default;
  comment on table decision is 'Insert only, write once: the first decision stands.';
  -- No program and no person can change a decision (P-I1). Whole partitions can still be dropped.
  create function refuse_change() returns trigger language plpgsql as
        $$ begin raise exception 'a decision is written once' using errcode = 'integrity_constraint_violation'; end $$;
  create trigger decision_is_written_once before update on decision for each row execute function refuse_change()`;

const earlyAcknowledgement = `
  create table early_acknowledgement (
    transaction_id bigint not null check (transaction_id > 0),
    ack_token_hash uuid,
    verdict text not null,
    received_at timestamptz not null default clock_timestamp(),
    unique nulls not distinct (transaction_id, ack_token_hash)
  );
  create index early_acknowledgement_received_at on early_acknowledgement (received_at);
  comment on table early_acknowledgement
    is 'AckReceived events of payments that were not armed: the arming with the same token settles the payment'`;

const idRange = `
  create table id_range (
    range integer generated always as identity primary key,
    lower bigint not null,
    upper bigint not null check (upper > lower),
    passed_at timestamptz
  );
  comment on table id_range is 'Partitions <table>_<range> of job and decision. passed_at: when the ids in use left it behind.'`;

const shard = `
  create table shard (
    shard smallint primary key,
    owner uuid,
    epoch bigint not null default 0,
    low_due_at timestamptz not null default '-infinity'
  ) with (fillfactor = 50);
  insert into shard (shard) select generate_series(0, 255)`;

// instance: where a replica runs, so that its successor at the same instance need not wait for the lease (P-T10).
const replica = `
  create table replica (
    id uuid primary key,
    heartbeat bigint not null default 0,
    instance text
  ) with (fillfactor = 50);
  comment on table replica is 'Schedulers alive: a heartbeat that does not move for the lease time means dead.';
  comment on column replica.instance is 'INSTANCE_ID: no two replicas of one instance live at the same time; null: unknown.'`;
