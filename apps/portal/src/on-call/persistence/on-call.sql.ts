/** Statements of people on call, over all merchants. */
export const onCallSql = {
  // One hour of the index over all merchants. An amount is at risk while it is undecided, and lost to the merchant once it is reversed.
  failing: `
    select p.merchant_id, p.currency_code,
           count(*) filter (where p.outcome = 'REVERSED')::int as failed,
           count(*) filter (where p.outcome = 'SETTLED')::int as acknowledged,
           coalesce(sum(p.amount) filter (where p.outcome = 'REVERSED'), 0) as reversed_amount,
           coalesce(sum(p.amount) filter (where p.outcome = 'PENDING'), 0) as pending_amount,
           max(p.completed_at) filter (where p.outcome = 'REVERSED') as last_failed_at
      from payment p
     where p.completed_at >= $1 and p.completed_at is not null and p.transaction_id > 0 and p.outcome <> 'NO_MONEY'
     group by 1, 2
    having count(*) filter (where p.answer in ('NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT', 'BACKSTOP')) > 0
     order by sum(p.amount) filter (where p.outcome in ('REVERSED', 'PENDING')) desc, 1 limit $2`,

  // Notices have no answer here: the payments among the latest transactions, which one step into the index of the merchant finds.
  lastAnswers: `
    select p.transaction_id, p.completed_at, p.outcome, p.answer, p.ack_elapsed_ms
      from (select * from payment p where p.merchant_id = $1 and p.completed_at is not null
             order by p.completed_at desc, p.transaction_id desc limit 200) p
     where p.answer is not null order by p.completed_at desc, p.transaction_id desc limit 10`,

  transaction: `
    select merchant_id, kind, status, outcome, amount, currency_code, completed_at, reversed_by
      from payment where transaction_id = $1`,

  // The log has no index by transaction: its latest entries are read, which is what somebody on call has just done.
  doings: `
    select a.at, a.person_name, a.action
      from (select * from audit_event order by audit_event_id desc limit 10000) a
     where a.detail ->> 'transactionId' = $1 order by a.audit_event_id desc limit 20`,
} as const;
