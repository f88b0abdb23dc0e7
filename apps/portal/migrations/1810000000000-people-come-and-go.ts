import { ForwardMigration } from '@paycode/persistence';

/** Roles change, and owners read what the people of their account did. */
export class PeopleComeAndGo1810000000000 extends ForwardMigration {
  override readonly name = 'PeopleComeAndGo1810000000000';
  override readonly statements = [
    `alter table person add column role_changed_at timestamptz`,
    `comment on column person.role_changed_at is 'When the person last got another role; null: it has the first one.'`,
    `comment on column person.accepted_at is 'When the person accepted its invitation, first signed in by its company, or last got a password by a link.'`,
    // As it was then: the row outlives the person.
    `alter table audit_event add column tenant_type text, add column tenant_id text`,
    `create index audit_event_tenant on audit_event (tenant_type, tenant_id, audit_event_id)`,
  ];
}
