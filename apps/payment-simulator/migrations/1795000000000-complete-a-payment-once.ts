import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A completion may carry a key under which its merchant has one transaction. */
export class CompleteAPaymentOnce1795000000000 extends ForwardMigration {
  override readonly name = 'CompleteAPaymentOnce1795000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table transaction add column idempotency_key text;
      create unique index transaction_once_per_key on transaction (merchant_id, idempotency_key) where idempotency_key is not null;
    `);
  }
}
