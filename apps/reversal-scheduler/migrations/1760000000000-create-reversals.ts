import { createOutboxTable } from '@paycode/events';
import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Jobs, write-once decisions, the shards that replicas own, and the outbox. Jobs and decisions are range-partitioned by
 * transaction id, so that old blocks are dropped as partitions; the default partition takes ids that have no block yet.
 */
export class CreateReversals1760000000000 extends ForwardMigration {
  override readonly name = 'CreateReversals1760000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table job (
        transaction_id bigint primary key check (transaction_id > 0),
        shard smallint not null check (shard between 0 and 255),
        merchant_id bigint not null,
        attempt smallint not null check (attempt >= 0),
        armed_at timestamptz not null default clock_timestamp(),
        due_at timestamptz not null
      ) partition by range (transaction_id);
      create table job_default partition of job default with (fillfactor = 90);
      create index job_due on job (shard, due_at, transaction_id);
      comment on table job is 'Armed reversals. attempt 0: found by the audit, never armed by the dispatcher.';

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
      create trigger decision_is_written_once before update on decision for each row execute function refuse_change();

      create table shard (
        shard smallint primary key,
        owner uuid,
        epoch bigint not null default 0,
        low_due_at timestamptz not null default '-infinity'
      ) with (fillfactor = 50);
      insert into shard (shard) select generate_series(0, 255);
      create table replica (
        replica uuid primary key,
        beat bigint not null default 0
      ) with (fillfactor = 50);
      comment on table replica is 'Schedulers alive: a beat that does not move for the lease time means dead.';
    `);
    for (const statement of createOutboxTable) await runner.query(statement);
  }
}
