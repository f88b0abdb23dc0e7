import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** The switch of an account to Bearer cannot be undone (R-5.2-5): not by a mistake of the code, nor by a statement typed into the database. */
export class BearerIsForGood1795500000000 extends ForwardMigration {
  override readonly name = 'BearerIsForGood1795500000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function refuse_leaving_bearer() returns trigger language plpgsql as $$
      begin raise exception 'account %: the switch to Bearer cannot be undone', old.username using errcode = 'integrity_constraint_violation'; end $$`);
    await runner.query(`
      create trigger account_bearer_is_for_good before update of mode on account
        for each row when (old.mode = 'BEARER' and new.mode <> 'BEARER') execute function refuse_leaving_bearer()`);
  }
}
