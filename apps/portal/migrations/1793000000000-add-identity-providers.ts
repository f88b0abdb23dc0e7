import { ForwardMigration } from '@paycode/persistence';

/** Providers of OpenID Connect by which people of a tenant sign in, and whom their subjects are. */
export class AddIdentityProviders1793000000000 extends ForwardMigration {
  override readonly name = 'AddIdentityProviders1793000000000';
  override readonly statements = [
    `create table identity_provider (
       provider_id uuid primary key default gen_random_uuid(),
       -- As people type it on the sign-in page.
       company text not null unique,
       tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR')),
       tenant_id text not null,
       issuer text not null,
       client_id text not null,
       client_secret_sealed text not null,
       set_at timestamptz not null default clock_timestamp(),
       unique (tenant_type, tenant_id),
       check ((tenant_type = 'OPERATOR') = (tenant_id = ''))
     )`,
    `comment on column identity_provider.client_secret_sealed is 'Sealed under KEY_ENCRYPTION_KEYS.'`,
    `create table person_identity (
       provider_id uuid not null references identity_provider on delete cascade,
       -- As the provider names the person, for good; e-mail addresses are given to others.
       subject text not null,
       person_id uuid not null references person on delete cascade,
       linked_at timestamptz not null default clock_timestamp(),
       primary key (provider_id, subject),
       unique (provider_id, person_id)
     )`,
    `create index person_identity_person on person_identity (person_id)`,
  ];
}
