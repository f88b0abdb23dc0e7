import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A person has one language and time zone in every browser, and mails have them, too. */
export class KeepLanguage1822000000000 extends ForwardMigration {
  override readonly name = 'KeepLanguage1822000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table person
         add column language text check (language in ('en', 'es', 'ar')),
         add column time_zone text check (length(time_zone) <= 100)`,
    );
  }
}
