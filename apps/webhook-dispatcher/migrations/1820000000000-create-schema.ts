import { createDeadLetterTable, createOutboxTable } from '@paycode/events';
import { FirstMigration } from '@paycode/persistence';
import { createErasureTable } from '@paycode/persistence/erasure';

/**
 * Deliveries, attempts and write-once verdicts, all insert-only and range-partitioned by transaction id: ranges are opened ahead of the
 * ids in use and dropped when they are old; the default partition takes ids outside every range. Shards and replicas determine who may act
 * on a delivery.
 */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'NoteEndsOfCertificates1818000000000';
  protected override readonly statements = [
    ...[replica, shard, delivery, attempt, verdict, idRange, noticeRetry, endpointPause, endingCertificate],
    ...[...createOutboxTable, ...createErasureTable, ...createDeadLetterTable],
  ];
}

// The heartbeat is not in the shard rows, because ingest and negative verdicts lock those FOR SHARE and a heartbeat must not wait for them.
// instance: where a replica runs, so that its successor at the same instance need not wait for the lease (P-T10).
const replica = `
  create table replica (
    id uuid primary key,
    heartbeat bigint not null default 0,
    instance text
  ) with (fillfactor = 50);
  comment on table replica is 'Dispatchers alive. A heartbeat that stands still for the lease time on the clock of an observer means dead.';
  comment on column replica.instance is 'INSTANCE_ID: no two replicas of one instance live at the same time; null: unknown.'`;

const shard = `
  create table shard (
    shard smallint primary key check (shard between 0 and 255),
    owner uuid,
    epoch bigint not null default 0,
    low_seq bigint not null default 1
  ) with (fillfactor = 50);
  comment on column shard.epoch is 'Fence: raised by every change of owner; negative verdicts and claims name it.';
  comment on column shard.low_seq is 'Every delivery of the shard with a lower seq is resolved.';
  insert into shard (shard) select generate_series(0, 255)`;

// A delivery stays in the payload version of its first attempt (R-9-2).
const delivery = `
  create sequence delivery_seq as bigint;
  create table delivery (
    transaction_id bigint primary key check (transaction_id > 0),
    shard smallint not null,
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
    payload text check ((payload is null) = stub),
    version text not null default 'V3'
  ) partition by range (transaction_id);
  -- Payloads stay in the row: sealed ones do not compress, and storage out of line costs a second table and index per row.
  alter table delivery alter column payload set storage external;
  create table delivery_default partition of delivery default with (toast_tuple_target = 8160);
  create index delivery_shard_seq on delivery (shard, seq);
  -- The few waiting rows that no replica has claimed, so that a query does not read the settled ones.
  create index delivery_unclaimed on delivery (shard, seq) where epoch = 0 and not stub;
  create index delivery_waiting on delivery (merchant_id, seq) where epoch = 0 and not stub;
  -- getNotification asks whether the core has reversed a payment. Only reversals are in the index, so ingest of payments does not pay for
  -- it.
  create index delivery_reversal on delivery (reference_transaction_id) where kind = 'REVERSAL';
  comment on column delivery.epoch is 'Shard epoch under which attempt 1 was claimed by the insert itself; 0: not claimed yet.';
  comment on column delivery.payload
    is 'Notification sealed as compact JWE; null for the stub of a transaction that was closed before it arrived.';
  comment on column delivery.version
    is 'Payload version in which the insert claimed attempt 1; without meaning when epoch is 0 or attempt has a row.'`;

// The first request of an attempt that was sent again.
const unansweredOf = (table: string) => `
  comment on column ${table}.unanswered
    is 'Why the first request, on a reused connection, got no answer; null: nothing was sent again.'`;

const attempt = `
  create table attempt (
    transaction_id bigint not null,
    attempt smallint not null check (attempt > 0),
    epoch bigint not null,
    started_at timestamptz not null default clock_timestamp(),
    outcome text,
    elapsed_ms integer,
    unanswered text,
    unanswered_ms integer,
    version text not null default 'V3',
    primary key (transaction_id, attempt)
  ) partition by range (transaction_id);
  create table attempt_default partition of attempt default;
  comment on table attempt
    is 'Claims of attempts that the delivery row does not imply. outcome: repeats of notices only; the verdict has the others.';
  comment on column attempt.version is 'Payload version of the attempt.';
  ${unansweredOf('attempt')}`;

const verdict = `
  create table verdict (
    transaction_id bigint primary key,
    kind text not null check (kind in ('ACKED_HTTP', 'ACKED_PULL', 'NOT_APPLICABLE', 'CLOSED_NON200', 'CLOSED_CONN', 'CLOSED_TIMEOUT',
      'CLOSED_NEVER_SENT', 'CLOSED_EXHAUSTED', 'CLOSED_BACKSTOP')),
    attempt smallint,
    outcome text,
    elapsed_ms integer,
    armed_at timestamptz,
    started_at timestamptz,
    at timestamptz not null default clock_timestamp(),
    unanswered text,
    unanswered_ms integer
  ) partition by range (transaction_id);
  create table verdict_default partition of verdict default;
  comment on table verdict is 'Insert only, write once: the first verdict stands.';
  ${unansweredOf('verdict')}`;

const idRange = `
  create table id_range (
    range integer generated always as identity primary key,
    lower bigint not null,
    upper bigint not null check (upper > lower),
    passed_at timestamptz
  );
  comment on table id_range
    is 'Partitions <table>_<range> of delivery, attempt and verdict. passed_at: when the ids in use left it behind.'`;

// The only table with updates: failed notices that move no money, a small fraction of the traffic.
const noticeRetry = `
  create table notice_retry (
    transaction_id bigint primary key,
    shard smallint not null,
    attempt smallint not null,
    due_at timestamptz not null
  );
  create index notice_retry_due on notice_retry (shard, due_at)`;

// Deliveries to one endpoint wait for a while because somebody said so.
const endpointPause = `
  create table endpoint_pause (
    pause_id bigint generated always as identity primary key,
    endpoint text not null,
    merchant_id bigint not null,
    reason text not null,
    paused_by text not null,
    paused_at timestamptz not null,
    ends_at timestamptz not null check (ends_at > paused_at),
    ended_at timestamptz check (ended_at <= ends_at),
    ended_by text,
    check ((ended_at is null) = (ended_by is null))
  );
  create index endpoint_pause_latest on endpoint_pause (endpoint, pause_id desc);
  create index endpoint_pause_in_effect on endpoint_pause (ends_at) where ended_at is null;
  comment on table endpoint_pause
    is 'Who paused deliveries to which endpoint, and why. ended_at: null unless somebody ended it before ends_at.';
  comment on column endpoint_pause.endpoint is 'Origin of URLs of merchants, as the queues of dispatchers name it.'`;

// People of these merchants hear of it.
const endingCertificate = `
  create table ending_certificate (
    merchant_id bigint primary key,
    ends_at timestamptz not null,
    seen_at timestamptz not null
  );
  comment on table ending_certificate is 'Merchants whose server lately showed a TLS certificate that ends within two weeks.'`;
