import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

const key = '(lower(merchant_name) collate "C"), merchant_id';

/** People of a PSP, an acquirer and the platform look for merchants by how a name begins, and the portal reads the ids of all of an owner. */
export class ListMerchantsByName1815000000000 extends ForwardMigration {
  override readonly name = 'ListMerchantsByName1815000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index merchant_name on merchant (${key})`);
    await runner.query(`create index merchant_psp_name on merchant (psp_id, ${key})`);
    await runner.query(`create index merchant_acquirer_name on merchant (acquirer, ${key})`);
  }
}
