import { createDeadLetterTable } from '@paycode/events';
import { FirstMigration } from '@paycode/persistence';
import { createErasureTable } from '@paycode/persistence/erasure';

/** The queue of messages to merchants' recipients and to people of the portal. */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'QueueAlerts1813000000000';
  protected override readonly statements = [recipientMessage, comments, ...createErasureTable, ...createDeadLetterTable];
}

const recipientMessage = `
  create table recipient_message (
    message_id bigint generated always as identity primary key,
    -- One per transaction (or notice), channel and recipient. It is a digest, so that a finished message holds no address.
    dedup_key text not null unique,
    channel text not null check (channel in ('EMAIL', 'SMS')),
    -- Messages to people of the portal are of no merchant.
    merchant_id bigint,
    transaction_id bigint,
    recipient text not null,
    notification text,
    change_notice jsonb,
    state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'FAILED')),
    tries int not null default 0,
    due_at timestamptz not null default clock_timestamp(),
    created_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    invitation jsonb,
    four_eyes jsonb,
    alert jsonb,
    constraint recipient_message_content
      check (num_nonnulls(notification, change_notice, invitation, four_eyes, alert) = case state when 'PENDING' then 1 else 0 end),
    constraint recipient_message_merchant check (merchant_id is not null or notification is null and change_notice is null)
  ) with (fillfactor = 70);
  -- Only waiting messages, because there are many finished ones and no query reads them by due time.
  create index recipient_message_due on recipient_message (channel, due_at) where state = 'PENDING';
  create index recipient_message_finished on recipient_message (finished_at) where state <> 'PENDING';
  -- An erasure searches a payer's data by transaction.
  create index recipient_message_notification on recipient_message (transaction_id) where notification is not null`;

const comments = `
  comment on column recipient_message.notification is 'What a message of a transaction tells, sealed as compact JWE.';
  comment on column recipient_message.change_notice is 'What a message of a changed URL or key tells: kind of change, who made it, when.';
  comment on column recipient_message.invitation is 'What an invitation to the portal tells, its link included; gone once it is sent.';
  comment on column recipient_message.four_eyes
    is 'What a request for a second person tells: who asks for what, until when; gone once it is sent.';
  comment on column recipient_message.alert
    is 'The facts of an alert of the portal, with the links that end such alerts; gone once it is sent.'`;
