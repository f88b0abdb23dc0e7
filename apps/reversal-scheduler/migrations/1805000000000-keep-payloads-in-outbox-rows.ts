import { keepPayloadsInOutboxRows } from '@paycode/events';
import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** An event leaves the outbox within milliseconds: its payload is written once, beside its other columns. */
export class KeepPayloadsInOutboxRows1805000000000 extends ForwardMigration {
  override readonly name = 'KeepPayloadsInOutboxRows1805000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of keepPayloadsInOutboxRows) await runner.query(statement);
  }
}
