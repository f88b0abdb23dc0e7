import { ForwardMigration } from '@paycode/persistence';

const byTime = 'completed_at desc, transaction_id desc';

/** A line of the list is a payment, with its reversal and refunds in it; a search finds it by how its reference, code or id begins. */
export class PaymentsHoldTheirNotices1811500000000 extends ForwardMigration {
  override readonly name = 'PaymentsHoldTheirNotices1811500000000';
  override readonly statements = [
    `alter table payment add column refunded_by bigint`,
    `comment on column payment.refunded_by is 'The first transaction that gave a part of the money back by a refund.'`,
    `update payment p set refunded_by = r.transaction_id
       from (select reference_transaction_id, min(transaction_id) as transaction_id from payment
              where kind = 'REFUND' and status = 'REFUNDED' and reference_transaction_id > 0 group by 1) r
      where p.transaction_id = r.reference_transaction_id`,
    // Without notices: a night of refunds stands between no two lines of a page.
    `create index payment_line on payment (merchant_id, ${byTime}) where completed_at is not null and kind = 'PURCHASE'`,
    // By a condition that is true of every payment, as payment_at: no statement with another filter opens it.
    `drop index payment_of_merchant`,
    `create index payment_of_merchant on payment (merchant_id, ${byTime}) where completed_at is not null and transaction_id > 0`,
    `create index payment_line_at on payment (${byTime}) where completed_at is not null and kind = 'PURCHASE'`,
    // Few among many: payments of which a part was refunded, and payments that failed (all notices have the outcome of these).
    `create index payment_refunded on payment (merchant_id, ${byTime}) where completed_at is not null and refunded_by is not null`,
    `create index payment_failed on payment (merchant_id, ${byTime})
      where completed_at is not null and reference_transaction_id = 0 and outcome = 'NO_MONEY'`,
    // text_pattern_ops: by bytes, so that what begins alike stands together whatever the collation of the database is.
    `drop index payment_reference`,
    `drop index payment_code`,
    `create index payment_reference on payment (merchant_id, lower(reference) text_pattern_ops, ${byTime}) where completed_at is not null`,
    `create index payment_code on payment (merchant_id, code text_pattern_ops, ${byTime}) where completed_at is not null and code is not null`,
    `create index payment_id on payment (merchant_id, (transaction_id::text) text_pattern_ops) where completed_at is not null`,
  ];
}
