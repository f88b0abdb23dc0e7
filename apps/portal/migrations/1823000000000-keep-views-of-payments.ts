import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** People name filters of the list of payments, and keep them. */
export class KeepViewsOfPayments1823000000000 extends ForwardMigration {
  override readonly name = 'KeepViewsOfPayments1823000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payment_view (
        view_id uuid primary key default gen_random_uuid(),
        person_id uuid not null references person on delete cascade,
        name text not null,
        name_key text not null,
        filter jsonb not null,
        created_at timestamptz not null default clock_timestamp(),
        unique (person_id, name_key)
      );
      comment on column payment_view.name_key is 'The name in small letters: a collation of the database may know those of English alone.'`);
  }
}
