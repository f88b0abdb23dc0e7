import { ForwardMigration } from '@paycode/persistence';

/** Two operators let a new owner into an account whose owners are gone. */
export class OwnersAreRecovered1813000000000 extends ForwardMigration {
  override readonly name = 'OwnersAreRecovered1813000000000';
  override readonly statements = [
    `create table owner_recovery (
        recovery_id uuid primary key default gen_random_uuid(),
        tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER')),
        tenant_id text not null,
        email text not null,
        name text not null,
        reason text not null,
        asked_by text not null,
        asked_at timestamptz not null default clock_timestamp(),
        state text not null default 'OPEN' check (state in ('OPEN', 'CONFIRMED', 'WITHDRAWN', 'REFUSED')),
        ended_by text,
        unique (tenant_type, tenant_id),
        check ((state = 'OPEN') = (ended_by is null)))`,
    `comment on column owner_recovery.asked_by is 'Subject of the token of the operator.'`,
  ];
}
