import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Decoys are derived per identity from a secret; the one decoy key of before told decoys from keys by its ciphertexts. */
export class OneDecoyPerIdentity1785000002000 extends ForwardMigration {
  override readonly name = 'OneDecoyPerIdentity1785000002000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from signing_key where use = 'DECOY'`);
    // DECOY stays allowed: a replica of the release before may still make one while it is being replaced.
    await this.allow(runner, `'ACCESS', 'IDENTITY', 'CHALLENGE', 'DECOY', 'DECOY_SECRET'`);
  }

  private async allow(runner: QueryRunner, uses: string): Promise<void> {
    await runner.query('alter table signing_key drop constraint signing_key_use_check');
    await runner.query(`alter table signing_key add constraint signing_key_use_check check (use in (${uses}))`);
  }
}
