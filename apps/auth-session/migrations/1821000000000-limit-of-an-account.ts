import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** The requests per second that an operator allows an account; null: the default of the gateways. */
export class LimitOfAnAccount1821000000000 extends ForwardMigration {
  override readonly name = 'LimitOfAnAccount1821000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table account add column rate_per_s integer check (rate_per_s between 1 and 10000)');
  }
}
