import { createDeadLetterTable } from '@paycode/events';
import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** What this service's groups park, so that people on call see it and give it to its group again. */
export class KeepDeadLetters1797000000000 extends ForwardMigration {
  override readonly name = 'KeepDeadLetters1797000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of createDeadLetterTable) await runner.query(statement);
  }
}
