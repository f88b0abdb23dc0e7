import { ForwardMigration } from '@paycode/persistence';

/** People are mailed when a server fails and when payments are reversed. */
export class TellPeople1814000000000 extends ForwardMigration {
  override readonly name = 'TellPeople1814000000000';
  override readonly statements = [
    `create table alert_choice (
       person_id uuid not null references person on delete cascade,
       rule text not null check (rule in ('RECEIVER', 'REVERSED')),
       is_on boolean not null,
       primary key (person_id, rule))`,
    `create table alert_reversal (
       transaction_id bigint primary key,
       merchant_id bigint not null,
       psp_id bigint,
       requested_at timestamptz not null,
       placed_at timestamptz)`,
    `comment on table alert_reversal is 'Reversals that people may still have to be told of.'`,
    `comment on column alert_reversal.placed_at is 'When the PSP of the merchant was looked up, by the clock of this database; null: not yet.'`,
    `create index alert_reversal_placed_at on alert_reversal (placed_at)`,
    `create table alert_outage (
       merchant_id bigint primary key,
       psp_id bigint,
       since_at timestamptz not null,
       failed_at timestamptz not null,
       placed_at timestamptz not null,
       opened_at timestamptz not null)`,
    `comment on table alert_outage is 'Merchants whose servers fail now.'`,
    `create table alert_mail (
       alert_id uuid primary key,
       person_id uuid not null references person on delete cascade,
       kind text not null check (kind in ('RECEIVER_FAILS', 'RECEIVER_WORKS', 'REVERSED')),
       about jsonb not null,
       token_hash bytea not null unique,
       secret_sealed text,
       created_at timestamptz not null)`,
    `comment on column alert_mail.secret_sealed is 'Of the link that ends such mails, sealed under KEY_ENCRYPTION_KEYS; null: recipient-messages has it, or it was given up.'`,
    `create index alert_mail_person on alert_mail (person_id, kind, created_at)`,
    `create index alert_mail_waiting on alert_mail (created_at) where secret_sealed is not null`,
    `create index alert_mail_created_at on alert_mail (created_at)`,
  ];
}
