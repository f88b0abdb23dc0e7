import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** One statement counts and refuses tries. Challenges are limited by such a count, no longer by the number of open challenges. */
export class CountBeforeAnswering1785000000000 extends ForwardMigration {
  override readonly name = 'CountBeforeAnswering1785000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table guess_count
        -- How many tries the latest statement counted; it refused the others.
        add column counted integer not null default 1,
        -- From then on the count is void.
        add column forget_at timestamptz not null default now() + interval '15 minutes'`);
    await runner.query('create index guess_count_forget_at on guess_count (forget_at)');
    await runner.query('drop index guess_count_last_failed_at, login_challenge_address');
  }
}
