import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A secret derives a decoy per identity. The former single decoy key gave the decoys away, because its ciphertexts differ from those of other keys. */
export class OneDecoyPerIdentity1785000002000 extends ForwardMigration {
  override readonly name = 'OneDecoyPerIdentity1785000002000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from signing_key where use = 'DECOY'`);
    // DECOY stays allowed, because a replica of the previous release may still create one while it is being replaced.
    await this.allow(runner, `'ACCESS', 'IDENTITY', 'CHALLENGE', 'DECOY', 'DECOY_SECRET'`);
  }

  private async allow(runner: QueryRunner, uses: string): Promise<void> {
    await runner.query('alter table signing_key drop constraint signing_key_use_check');
    await runner.query(`alter table signing_key add constraint signing_key_use_check check (use in (${uses}))`);
  }
}
