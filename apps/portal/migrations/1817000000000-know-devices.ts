import { ForwardMigration } from '@paycode/persistence';

/** People are mailed when somebody signs in as them from a new device. */
export class KnowDevices1817000000000 extends ForwardMigration {
  override readonly name = 'KnowDevices1817000000000';
  override readonly statements = [
    `create table known_device (
       person_id uuid not null references person on delete cascade,
       device_hash bytea not null,
       seen_at timestamptz not null,
       primary key (person_id, device_hash))`,
    `comment on table known_device is 'Browsers from which a person has signed in, the latest twenty.'`,
    `alter table alert_mail
       drop constraint alert_mail_kind_check,
       add constraint alert_mail_kind_check check (kind in ('RECEIVER_FAILS', 'RECEIVER_WORKS', 'REVERSED', 'NEW_DEVICE'))`,
  ];
}
