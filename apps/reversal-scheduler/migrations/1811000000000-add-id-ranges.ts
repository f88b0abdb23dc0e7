import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Ranges of ids as partitions, so that old jobs and decisions are dropped with them. Partitions need no change in the release before. */
export class AddIdRanges1811000000000 extends ForwardMigration {
  override readonly name = 'AddIdRanges1811000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table id_range (
        range integer generated always as identity primary key,
        lower bigint not null,
        upper bigint not null check (upper > lower),
        passed_at timestamptz
      );
      comment on table id_range is 'Partitions <table>_<range> of job and decision. passed_at: when the ids in use left it behind.';
    `);
  }
}
