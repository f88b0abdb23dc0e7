import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** The first request of an attempt that was sent again. Partitions get the columns with their tables. */
export class RecordRequestsSentAgain1788000000000 extends ForwardMigration {
  override readonly name = 'RecordRequestsSentAgain1788000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

const statements = ['attempt', 'verdict'].flatMap(table => [
  `alter table ${table} add column unanswered text, add column unanswered_ms integer`,
  `comment on column ${table}.unanswered is 'Why the first request, on a reused connection, got no answer; null: nothing was sent again.'`,
]);
