import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tries are counted, and refused, in one statement; challenges are limited by such a count and no longer by the challenges that are out. */
export class CountBeforeAnswering1785000000000 implements MigrationInterface {
  name = 'CountBeforeAnswering1785000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table guess_count
        -- How many tries of the latest statement were counted; its others were refused.
        add column counted integer not null default 1,
        -- From then on the count is nothing.
        add column forget_at timestamptz not null default now() + interval '15 minutes'`);
    await runner.query('create index guess_count_forget_at on guess_count (forget_at)');
    await runner.query('drop index guess_count_last_failed_at, login_challenge_address');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index login_challenge_address on login_challenge (address, created_at)');
    await runner.query('create index guess_count_last_failed_at on guess_count (last_failed_at)');
    await runner.query('alter table guess_count drop column counted, drop column forget_at');
  }
}
