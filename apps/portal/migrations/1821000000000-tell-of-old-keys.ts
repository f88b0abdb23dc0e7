import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** People are mailed when the key of their notifications is older than a year. */
export class TellOfOldKeys1821000000000 extends ForwardMigration {
  override readonly name = 'TellOfOldKeys1821000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table alert_choice
         drop constraint alert_choice_rule_check,
         add constraint alert_choice_rule_check check (rule in ('RECEIVER', 'REVERSED', 'CERTIFICATE', 'KEY'))`,
    );
    await runner.query(
      `alter table alert_mail
         drop constraint alert_mail_kind_check,
         add constraint alert_mail_kind_check
           check (kind in ('RECEIVER_FAILS', 'RECEIVER_WORKS', 'REVERSED', 'NEW_DEVICE', 'CERTIFICATE_ENDS', 'KEY_OLD'))`,
    );
  }
}
