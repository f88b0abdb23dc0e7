import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** The addresses from which an account may call (T-15); empty allows all. */
export class AddSourceAddresses1760000000000 extends ForwardMigration {
  override readonly name = 'AddSourceAddresses1760000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table account add column source_addresses text[] not null default '{}'`);
  }
}
