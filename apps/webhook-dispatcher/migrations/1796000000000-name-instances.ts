import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Where a replica runs, so that its successor at the same instance need not wait for the lease (P-T10). */
export class NameInstances1796000000000 extends ForwardMigration {
  override readonly name = 'NameInstances1796000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table replica add column instance text;
      comment on column replica.instance is 'INSTANCE_ID: no two replicas of one instance live at the same time; null: unknown.'`);
  }
}
