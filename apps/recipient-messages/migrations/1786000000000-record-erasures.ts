import { createErasureTable, dropErasureTable } from '@paycode/erasure';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose request erased the payer's data from which messages (T-43). */
export class RecordErasures1786000000000 implements MigrationInterface {
  name = 'RecordErasures1786000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createErasureTable) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropErasureTable) await runner.query(statement);
  }
}
