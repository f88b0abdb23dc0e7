import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Merchants whose server shows a certificate that ends soon, so that their people hear of it. */
export class NoteEndsOfCertificates1818000000000 extends ForwardMigration {
  override readonly name = 'NoteEndsOfCertificates1818000000000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table ending_certificate (
        merchant_id bigint primary key,
        ends_at timestamptz not null,
        seen_at timestamptz not null);
      comment on table ending_certificate is 'Merchants whose server lately showed a TLS certificate that ends within two weeks.';`);
  }
}
