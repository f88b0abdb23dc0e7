import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** getNotification asks whether the core has reversed a payment. Only reversals are in the index, so ingest of payments does not pay for it. */
export class FindReversals1807000000000 extends ForwardMigration {
  override readonly name = 'FindReversals1807000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index delivery_reversal on delivery (reference_transaction_id) where kind = 'REVERSAL'`);
  }
}
