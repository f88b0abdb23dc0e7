import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A delivery stays in the payload version of its first attempt (R-9-2). The default is a constant, so no row is written again. */
export class KeepPayloadVersions1808000000000 extends ForwardMigration {
  override readonly name = 'KeepPayloadVersions1808000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table attempt add column version text not null default 'V3';
      alter table delivery add column version text not null default 'V3';
      comment on column attempt.version is 'Payload version of the attempt.';
      comment on column delivery.version is 'Payload version in which the insert claimed attempt 1; without meaning when epoch is 0 or attempt has a row.';`);
  }
}
