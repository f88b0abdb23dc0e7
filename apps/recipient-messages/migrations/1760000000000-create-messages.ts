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
     -- One per transaction (or notice), channel and recipient. It is a digest, so that a finished message holds no address.
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
  // Only waiting messages, because there are many finished ones and no query reads them by due time.
  `create index recipient_message_due on recipient_message (channel, due_at) where state = 'PENDING'`,
  `create index recipient_message_finished on recipient_message (finished_at) where state <> 'PENDING'`,
  // An erasure searches a payer's data by transaction.
  `create index recipient_message_notification on recipient_message (transaction_id) where notification is not null`,
];
