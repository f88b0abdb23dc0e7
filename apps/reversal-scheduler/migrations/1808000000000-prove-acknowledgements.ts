import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * A job knows the hash of the token that an AckReceived of its payment must carry (T-18). An event that comes before the job is kept until then.
 *
 * The release before writes jobs without a hash, which need no token, and reads neither.
 */
export class ProveAcknowledgements1808000000000 extends ForwardMigration {
  override readonly name = 'ProveAcknowledgements1808000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }
}

const statements = [
  'alter table job add column ack_token_hash uuid',
  `comment on column job.ack_token_hash is 'Of the ackToken that an AckReceived must carry; null: none (armed by an older release, or found by the audit)'`,
  `create table early_acknowledgement (
     transaction_id bigint not null check (transaction_id > 0),
     ack_token_hash uuid,
     verdict text not null,
     received_at timestamptz not null default clock_timestamp(),
     unique nulls not distinct (transaction_id, ack_token_hash)
   )`,
  'create index early_acknowledgement_received_at on early_acknowledgement (received_at)',
  `comment on table early_acknowledgement is 'AckReceived events of payments that were not armed: the arming with the same token settles the payment'`,
];
