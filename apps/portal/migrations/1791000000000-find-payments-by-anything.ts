import { ForwardMigration } from '@paycode/persistence';

const indexOf = (name: string, column: string, more = '') =>
  `create index ${name} on payment (merchant_id, ${column}, completed_at desc, transaction_id desc) where completed_at is not null${more}`;

/** Each filter of the list has an index that ends in the order of its pages: a page costs what it shows, however many payments there are. */
export class FindPaymentsByAnything1791000000000 extends ForwardMigration {
  override readonly name = 'FindPaymentsByAnything1791000000000';
  override readonly statements = [
    // The answer of the merchant's server, as far as a decision names it: HTTP_200, READ (getNotification), or why the payment was reversed.
    `alter table payment add column answer text generated always as (
       coalesce(reversal_reason, case ack_source when 'WEBHOOK' then 'HTTP_200' when 'RECOVERY' then 'READ' end)) stored`,
    indexOf('payment_status', 'status'),
    indexOf('payment_answer', 'answer', ' and answer is not null'),
    indexOf('payment_amount', 'amount'),
    // For the newest of all merchants, by the condition that only such a statement has: to the planner a page of one merchant looks cheap by it,
    // and reads every other merchant's payments on the way to those of a small one.
    `drop index payment_at`,
    `create index payment_at on payment (completed_at desc, transaction_id desc) where completed_at is not null and transaction_id > 0`,
    // A merchant may give all of its payments one reference: even these are read in the order of pages, not sorted.
    `drop index payment_reference`,
    `drop index payment_code`,
    indexOf('payment_reference', 'reference'),
    indexOf('payment_code', 'code', ' and code is not null'),
  ];
}
