import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Email and SMS to merchants' recipients: a queue of their own, so that nothing of it touches deliveries. */
export class CreateRecipientMessages1760000100000 implements MigrationInterface {
  name = 'CreateRecipientMessages1760000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table recipient_message (
        message_id bigint generated always as identity primary key,
        -- Once per transaction (or notice), channel and recipient; a digest, so that the address goes when the message is done.
        dedup_key text not null unique,
        channel text not null check (channel in ('EMAIL', 'SMS')),
        merchant_id bigint not null,
        transaction_id bigint,
        recipient text not null,
        -- Sealed notification, or a change notice; neither holds personal data in the clear.
        content jsonb,
        state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'FAILED')),
        tries int not null default 0,
        due_at timestamptz not null default clock_timestamp(),
        created_at timestamptz not null default clock_timestamp(),
        finished_at timestamptz
      ) with (fillfactor = 70)`);
    // Only what is waiting: finished messages are many, and are never looked for.
    await runner.query(`create index recipient_message_due on recipient_message (channel, due_at) where state = 'PENDING'`);
    await runner.query(`create index recipient_message_finished on recipient_message (finished_at) where state <> 'PENDING'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table recipient_message');
  }
}
