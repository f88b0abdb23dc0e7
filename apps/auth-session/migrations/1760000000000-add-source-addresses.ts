import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where an account may come from (T-15); empty: anywhere. */
export class AddSourceAddresses1760000000000 implements MigrationInterface {
  name = 'AddSourceAddresses1760000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table account add column source_addresses text[] not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table account drop column source_addresses');
  }
}
