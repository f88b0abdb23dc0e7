/** Statements of stored notifications. */
export const notificationSql = {
  find: `
  select d.merchant_id as merchant, d.reversible, d.payload, v.kind as verdict,
         greatest((d.epoch > 0)::int, coalesce((select max(a.attempt) from attempt a where a.transaction_id = d.transaction_id), 0)) as claimed
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1 and not d.stub`,
} as const;
