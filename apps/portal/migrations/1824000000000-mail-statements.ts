import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** People are mailed the statement of each day or month. */
export class MailStatements1824000000000 extends ForwardMigration {
  override readonly name = 'MailStatements1824000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create table statement_choice (
         person_id uuid primary key references person on delete cascade,
         every text not null check (every in ('DAY', 'MONTH')),
         time_zone text not null,
         last_period text not null
       )`,
    );
    await runner.query(
      `comment on column statement_choice.last_period
         is 'The day or month of the last mail, or the newest one when the person chose: later ones are mailed, each once.'`,
    );
    await runner.query(
      `alter table alert_mail
         drop constraint alert_mail_kind_check,
         add constraint alert_mail_kind_check check (
           kind in ('RECEIVER_FAILS', 'RECEIVER_WORKS', 'REVERSED', 'NEW_DEVICE', 'CERTIFICATE_ENDS', 'KEY_OLD', 'STATEMENT'))`,
    );
  }
}
