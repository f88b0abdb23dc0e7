/** Statements of stored notifications. */
export const notificationSql = {
  // One snapshot of verdict and reversals. The index delivery_reversal finds the reversals; the condition on the kind opens it.
  find: `
  select d.merchant_id as merchant, d.reversible, d.payload, v.kind as verdict,
         (select bool_or(r.status = 'REVERSED') from delivery r
           where r.kind = 'REVERSAL' and r.reference_transaction_id = d.transaction_id) as reversed,
         greatest((d.epoch > 0)::int, coalesce((select max(a.attempt) from attempt a where a.transaction_id = d.transaction_id), 0)) as claimed
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1 and not d.stub`,
} as const;
