import { ForwardMigration } from '@paycode/persistence';

/** A reversal that the core could not make leaves the payment as it was: it was kept as one that gave the money back. */
export class ReversalsMayFail1807000000000 extends ForwardMigration {
  override readonly name = 'ReversalsMayFail1807000000000';
  override readonly statements = [
    `alter table payment add column reversal_failed_by bigint`,
    `comment on column payment.reversal_failed_by is 'The transaction that said that the core could not give the money back.'`,
    `update payment p set reversal_failed_by = p.reversed_by, reversed_by = null
       from payment r where r.transaction_id = p.reversed_by and r.status is distinct from 'REVERSED'`,
    // PostgreSQL 15 cannot change the expression of a generated column.
    `alter table payment drop column outcome`,
    // A reversal that succeeded counts more than one that failed. Nobody asks for a second one, so after a failure the payment stands.
    `alter table payment add column outcome text generated always as (
       case when kind is distinct from 'PURCHASE' or status is distinct from 'SUCCESS' then 'NO_MONEY'
            when reversed_by is not null then 'REVERSED'
            when reversal_requested_at is not null then case when reversal_failed_by is null then 'REVERSED' else 'SETTLED' end
            when acknowledged_at is not null then 'SETTLED'
            else 'PENDING' end) stored`,
    `create index payment_outcome on payment (merchant_id, outcome, completed_at desc, transaction_id desc) where completed_at is not null`,
    // For the list of payments that stand although their server did not acknowledge them: few among many.
    `create index payment_not_reversed on payment (merchant_id, completed_at desc, transaction_id desc)
      where completed_at is not null and reversal_failed_by is not null`,
  ];
}
