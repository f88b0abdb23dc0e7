import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** The queue of messages to merchants' recipients. */
export class CreateMessages1760000000000 extends ForwardMigration {
  override readonly name = 'CreateMessages1760000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

const statements = [
  `create table recipient_message (
     message_id bigint generated always as identity primary key,
     -- Once per transaction (or notice), channel and recipient; a digest, so that the address goes when the message is done.
     dedup_key text not null unique,
     channel text not null check (channel in ('EMAIL', 'SMS')),
     merchant_id bigint not null,
     transaction_id bigint,
     recipient text not null,
     notification text,
     change_notice jsonb,
     state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'FAILED')),
     tries int not null default 0,
     due_at timestamptz not null default clock_timestamp(),
     created_at timestamptz not null default clock_timestamp(),
     finished_at timestamptz,
     check (num_nonnulls(notification, change_notice) = case state when 'PENDING' then 1 else 0 end)
   ) with (fillfactor = 70)`,
  `comment on column recipient_message.notification is 'What a message of a transaction tells, sealed as compact JWE.'`,
  `comment on column recipient_message.change_notice is 'What a message of a changed URL or key tells: kind of change, who made it, when.'`,
  // Only what is waiting: finished messages are many, and are never looked for.
  `create index recipient_message_due on recipient_message (channel, due_at) where state = 'PENDING'`,
  `create index recipient_message_finished on recipient_message (finished_at) where state <> 'PENDING'`,
  // A payer's data is looked for by transaction.
  `create index recipient_message_notification on recipient_message (transaction_id) where notification is not null`,
];
