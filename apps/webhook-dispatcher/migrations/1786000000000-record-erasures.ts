import { createErasureTable } from '@paycode/persistence/erasure';
import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Records who had the payer's data of which delivery erased (T-43). */
export class RecordErasures1786000000000 extends ForwardMigration {
  override readonly name = 'RecordErasures1786000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of createErasureTable) await runner.query(statement);
  }
}
