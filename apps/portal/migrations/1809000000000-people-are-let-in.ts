import { ForwardMigration } from '@paycode/persistence';

/** When a person was let in; and several tenants may invite one address, of which one lets it in with a password. */
export class PeopleAreLetIn1809000000000 extends ForwardMigration {
  override readonly name = 'PeopleAreLetIn1809000000000';
  override readonly statements = [
    `alter table person add column accepted_at timestamptz`,
    `comment on column person.accepted_at is 'When the person accepted its invitation or first signed in by its company.'`,
    `update person set accepted_at = created_at where password_hash is not null`,
    `update person p set accepted_at = p.created_at from person_identity i where i.person_id = p.person_id`,
    `drop index person_email`,
    // A password belongs to one address: people sign in by both.
    `create unique index person_email on person (lower(email)) where password_hash is not null`,
    `create unique index person_email_of_tenant on person (lower(email), tenant_type, tenant_id)`,
  ];
}
