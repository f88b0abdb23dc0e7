import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Changes that the owners of merchant and PSP are told of: the portal fetches them, because it knows the owners. */
export class TellOwnersOfChanges1809000000000 extends ForwardMigration {
  override readonly name = 'TellOwnersOfChanges1809000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table owner_notice (
        notice_id uuid primary key default gen_random_uuid(),
        merchant_id bigint not null references merchant,
        kind text not null,
        actor text not null,
        occurred_at timestamptz not null default clock_timestamp(),
        due_at timestamptz not null default clock_timestamp()
      )`);
    await runner.query('create index owner_notice_due on owner_notice (due_at)');
  }
}
