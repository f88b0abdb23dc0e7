import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A request for a second person is mailed to those who can confirm it. */
export class QueueFourEyes1798000000000 extends ForwardMigration {
  override readonly name = 'QueueFourEyes1798000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table recipient_message
        add column four_eyes jsonb,
        drop constraint recipient_message_content,
        add constraint recipient_message_content
          check (num_nonnulls(notification, change_notice, invitation, four_eyes) = case state when 'PENDING' then 1 else 0 end)`);
    await runner.query(
      `comment on column recipient_message.four_eyes is 'What a request for a second person tells: who asks for what, until when; gone once it is sent.'`,
    );
  }
}
