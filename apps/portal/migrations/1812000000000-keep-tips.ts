import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Statements name tips. Payments from before have none. */
export class KeepTips1812000000000 extends ForwardMigration {
  override readonly name = 'KeepTips1812000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table payment add column tip_amount numeric');
    await runner.query(
      `comment on column payment.tip_amount is 'The portion of amount that is tip; null: none, or recorded before tips were.'`,
    );
  }
}
