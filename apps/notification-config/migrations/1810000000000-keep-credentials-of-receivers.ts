import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** A merchant's server may demand a credential of each request. It stands in the row of the URL that it belongs to, so that it goes with the URL. */
export class KeepCredentialsOfReceivers1810000000000 extends ForwardMigration {
  override readonly name = 'KeepCredentialsOfReceivers1810000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table http_notification
        add column sealed_credential text,
        add column has_client_certificate boolean not null default false,
        add column opened_at timestamptz`);
  }
}
