/**
 * A page of a merchant's final transactions, oldest first: `payment_of_merchant` backwards from the key, or the rows of a reference or a code in the order of
 * their index. `merchant_id = any($1)` would be sorted as a whole.
 */
export const notificationSql = {
  list: (conditions: readonly string[], limit: string): string => `
    select p.transaction_id, p.merchant_id, p.status, p.outcome, p.reference, p.code, p.reference_transaction_id, p.completed_at,
           p.acknowledged_at, p.ack_source, (extract(epoch from p.completed_at) * 1000000)::bigint as completed_at_us
      from payment p
     where ${['p.merchant_id = $1', 'p.completed_at is not null', ...conditions].join(' and ')}
     order by p.completed_at, p.transaction_id limit ${limit}`,
  /** Microseconds since 1970, as exact as the column. */
  instant: (microseconds: string): string => `timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond'`,
} as const;
