import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Alerts of the portal are messages to its people. */
export class QueueAlerts1813000000000 extends ForwardMigration {
  override readonly name = 'QueueAlerts1813000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table recipient_message
        add column alert jsonb,
        drop constraint recipient_message_content,
        add constraint recipient_message_content
          check (num_nonnulls(notification, change_notice, invitation, four_eyes, alert) = case state when 'PENDING' then 1 else 0 end)`);
    await runner.query(
      `comment on column recipient_message.alert is 'The facts of an alert of the portal, with the links that end such alerts; gone once it is sent.'`,
    );
  }
}
