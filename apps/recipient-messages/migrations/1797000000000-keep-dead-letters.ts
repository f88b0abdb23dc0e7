import { createDeadLetterTable } from '@paycode/events';
import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Dead letters of this service's groups, for people on call to look at and to redrive. */
export class KeepDeadLetters1797000000000 extends ForwardMigration {
  override readonly name = 'KeepDeadLetters1797000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of createDeadLetterTable) await runner.query(statement);
  }
}
