import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Which token a renewal replaced, and when: a client may use it again for a moment. Any other replaced token counts as stolen (ADR 0029). */
export class RememberTheReplacedToken1785000001000 extends ForwardMigration {
  override readonly name = 'RememberTheReplacedToken1785000001000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table session add column replaced_token_id uuid, add column renewed_at timestamptz');
    // For the list of an account's sessions.
    await runner.query('create index session_account on session (account_id)');
  }
}
