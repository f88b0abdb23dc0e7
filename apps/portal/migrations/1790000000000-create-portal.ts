import { guessTableStatements } from '@paycode/access/guessing';
import { ForwardMigration } from '@paycode/persistence';

/** People, their sessions, what they did, and the read model of payments. */
export class CreatePortal1790000000000 extends ForwardMigration {
  override readonly name = 'CreatePortal1790000000000';
  override readonly statements = [
    `create table person (
       person_id uuid primary key default gen_random_uuid(),
       email text not null,
       name text not null,
       tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR')),
       -- Merchant or PSP id, name of the acquirer, empty for operators.
       tenant_id text not null,
       role text not null check (role in ('VIEWER', 'DEVELOPER', 'OWNER', 'ON_CALL', 'ADMINISTRATOR')),
       password_hash text,
       totp_sealed text,
       -- Steps up to this one were used: a code is good once.
       totp_step bigint not null default 0,
       created_at timestamptz not null default clock_timestamp(),
       check ((tenant_type = 'OPERATOR') = (role in ('ON_CALL', 'ADMINISTRATOR'))),
       check ((tenant_type = 'OPERATOR') = (tenant_id = ''))
     )`,
    `create unique index person_email on person (lower(email))`,
    `create index person_tenant on person (tenant_type, tenant_id)`,
    `comment on column person.totp_sealed is 'Shared secret of the authenticator app, sealed under KEY_ENCRYPTION_KEYS.'`,
    `create table invitation (
       invitation_id uuid primary key default gen_random_uuid(),
       token_hash bytea not null unique,
       person_id uuid not null references person on delete cascade,
       expires_at timestamptz not null,
       used_at timestamptz
     )`,
    `create table recovery_code (
       code_hash bytea primary key,
       person_id uuid not null references person on delete cascade,
       used_at timestamptz
     )`,
    `create index recovery_code_person on recovery_code (person_id)`,
    `create table portal_session (
       session_id uuid primary key default gen_random_uuid(),
       token_hash bytea not null unique,
       person_id uuid not null references person on delete cascade,
       stage text not null check (stage in ('CODE_DUE', 'ENROL_DUE', 'FULL')),
       address text not null,
       user_agent text not null,
       created_at timestamptz not null default clock_timestamp(),
       seen_at timestamptz not null default clock_timestamp(),
       expires_at timestamptz not null,
       ended_at timestamptz
     )`,
    `create index portal_session_person on portal_session (person_id) where ended_at is null`,
    `create index portal_session_expires on portal_session (expires_at)`,
    `create table audit_event (
       audit_event_id bigint generated always as identity primary key,
       at timestamptz not null default clock_timestamp(),
       person_id uuid,
       -- As it was then: the row outlives the person.
       person_name text not null,
       action text not null,
       merchant_id bigint,
       address text not null,
       request_id text not null,
       detail jsonb not null default '{}'
     )`,
    `create index audit_event_person on audit_event (person_id, audit_event_id)`,
    `create function refuse_audit_change() returns trigger language plpgsql as $$
     begin raise exception 'audit_event is append-only' using errcode = 'integrity_constraint_violation'; end $$`,
    `create trigger audit_event_append_only before update or delete or truncate on audit_event
       for each statement execute function refuse_audit_change()`,
    `create table payment (
       transaction_id bigint primary key,
       merchant_id bigint not null,
       kind text,
       status text,
       reference_transaction_id bigint,
       completed_at timestamptz,
       amount numeric(18, 3),
       currency_code text,
       reference text,
       code text,
       acknowledged_at timestamptz,
       ack_source text,
       ack_elapsed_ms int,
       reversal_requested_at timestamptz,
       reversal_reason text,
       reversed_by bigint,
       -- Events come in any order: what a payment became follows from those that are here.
       outcome text generated always as (
         case when kind is distinct from 'PURCHASE' or status is distinct from 'SUCCESS' then 'NO_MONEY'
              when reversal_requested_at is not null or reversed_by is not null then 'REVERSED'
              when acknowledged_at is not null then 'SETTLED'
              else 'PENDING' end) stored
     ) with (fillfactor = 70)`,
    // A row that only an acknowledgement or a reversal has made so far is not listed.
    `create index payment_of_merchant on payment (merchant_id, completed_at desc, transaction_id desc) where completed_at is not null`,
    `create index payment_outcome on payment (merchant_id, outcome, completed_at desc, transaction_id desc) where completed_at is not null`,
    `create index payment_at on payment (completed_at desc, transaction_id desc) where completed_at is not null`,
    `create index payment_reference on payment (reference, merchant_id)`,
    `create index payment_code on payment (code, merchant_id)`,
    `create index payment_related on payment (reference_transaction_id) where reference_transaction_id > 0`,
    ...guessTableStatements,
  ];
}
