import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Invitations to the portal are messages without a merchant. */
export class QueueInvitations1790000000000 extends ForwardMigration {
  override readonly name = 'QueueInvitations1790000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table recipient_message
        add column invitation jsonb,
        alter column merchant_id drop not null,
        drop constraint recipient_message_check,
        add constraint recipient_message_content
          check (num_nonnulls(notification, change_notice, invitation) = case state when 'PENDING' then 1 else 0 end),
        add constraint recipient_message_merchant check (merchant_id is not null or notification is null and change_notice is null)`);
    await runner.query(
      `comment on column recipient_message.invitation is 'What an invitation to the portal tells, its link included; gone once it is sent.'`,
    );
  }
}
