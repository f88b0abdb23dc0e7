import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

export class CreateMerchants1760000000000 extends ForwardMigration {
  override readonly name = 'CreateMerchants1760000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table merchant (
        merchant_id bigint primary key check (merchant_id between 1 and 9007199254740991),
        merchant_name text not null,
        psp_id bigint,
        acquirer text not null,
        status text not null check (status in ('ACTIVE', 'SUSPENDED')),
        encryption text not null default 'AES-128-GCM' check (encryption in ('AES-128-GCM', 'AES-128-CBC-LEGACY')),
        created_at timestamptz not null default clock_timestamp(),
        changed_at timestamptz not null default clock_timestamp()
      )`);
    // One row per merchant: the key is in the row of the URL and is deleted with it.
    await runner.query(`
      create table http_notification (
        merchant_id bigint primary key references merchant,
        url text not null check (char_length(url) <= 2048),
        version text not null,
        key_id text not null,
        sealed_key text not null,
        changed_at timestamptz not null default clock_timestamp()
      )`);
    await runner.query(`
      create table recipient (
        merchant_id bigint not null references merchant,
        type text not null check (type in ('EMAIL', 'SMS')),
        value text not null,
        position bigint generated always as identity,
        added_at timestamptz not null default clock_timestamp(),
        primary key (merchant_id, type, value)
      )`);
    await this.createAuditLog(runner);
    await this.createProbeLimits(runner);
    // E-mails about a change (T-15): stored in its transaction, handed over after it.
    await runner.query(`
      create table change_notice (
        notice_id uuid primary key default gen_random_uuid(),
        merchant_id bigint not null references merchant,
        kind text not null,
        emails text[] not null,
        actor text not null,
        occurred_at timestamptz not null default clock_timestamp(),
        tries int not null default 0,
        due_at timestamptz not null default clock_timestamp()
      )`);
    await runner.query('create index change_notice_due on change_notice (due_at)');
  }

  /** Records each change of a merchant with its author. The trigger refuses to change or remove a row. */
  private async createAuditLog(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_event (
        audit_event_id bigint generated always as identity primary key,
        at timestamptz not null default clock_timestamp(),
        merchant_id bigint not null,
        kind text not null,
        actor text not null,
        request_id text not null,
        detail jsonb not null default '{}'
      )`);
    await runner.query('create index audit_event_of_merchant on audit_event (merchant_id, audit_event_id)');
    await runner.query(`
      create function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        raise exception 'audit_event is append-only';
      end $$`);
    await runner.query(`
      create trigger audit_event_append_only before update or delete or truncate on audit_event
      for each statement execute function refuse_audit_change()`);
  }

  /** Token buckets and the one probe in flight per merchant (T-28), shared by all replicas. */
  private async createProbeLimits(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table probe_bucket (
        bucket text primary key,
        tokens double precision not null,
        refilled_at timestamptz not null
      )`);
    await runner.query('create index probe_bucket_age on probe_bucket (refilled_at)');
    await runner.query(`
      create table probe_in_flight (
        merchant_id bigint primary key,
        probe_id uuid not null,
        expires_at timestamptz not null
      )`);
  }
}
