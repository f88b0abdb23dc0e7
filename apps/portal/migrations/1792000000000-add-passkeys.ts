import { ForwardMigration } from '@paycode/persistence';

/** Passkeys of people. A challenge is stored only with a right answer to it, because anybody may ask for one. */
export class AddPasskeys1792000000000 extends ForwardMigration {
  override readonly name = 'AddPasskeys1792000000000';
  override readonly statements = [
    `alter table person add column has_passkey boolean not null default false`,
    `comment on column person.has_passkey is 'As the rows of passkey say, in the same transaction.'`,
    `create table passkey (
       passkey_id uuid primary key default gen_random_uuid(),
       credential_id text not null unique,
       person_id uuid not null references person on delete cascade,
       public_key bytea not null,
       -- As the passkey counts its signatures; 0 when it does not.
       sign_count bigint not null,
       name text not null,
       transports text[] not null,
       created_at timestamptz not null default clock_timestamp(),
       used_at timestamptz
     )`,
    `create index passkey_person on passkey (person_id, created_at)`,
    `create table passkey_challenge_used (
       challenge_hash bytea primary key,
       expires_at timestamptz not null
     )`,
    `comment on table passkey_challenge_used is 'A challenge is good once: the first answer to it stands here until the challenge expires.'`,
    `create index passkey_challenge_used_expires on passkey_challenge_used (expires_at)`,
  ];
}
