import { ForwardMigration } from '@paycode/persistence';

/** The redrive of dead letters takes two people too, and whoever confirms must see which letters. */
export class FourEyesAbout1798000000000 extends ForwardMigration {
  override readonly name = 'FourEyesAbout1798000000000';
  override readonly statements = [
    `alter table four_eyes_request drop constraint four_eyes_request_kind_check`,
    `alter table four_eyes_request add constraint four_eyes_request_kind_check check (kind in ('BEARER_SWITCH', 'DEAD_LETTERS'))`,
    `alter table four_eyes_request add column about text`,
    `comment on column four_eyes_request.about is 'What was asked about, where the kind and the tenant do not say it.'`,
  ];
}
