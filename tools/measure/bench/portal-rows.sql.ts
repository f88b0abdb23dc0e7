/**
 * $1 payments of the last 90 days. Merchant 1 has four fifths of them, 199 others share the rest. Of 100 payments 92 are paid, of which 95 settled, 4
 * reversed, 1 pending; each tenth is of 10.00, and each tenth has the reference of a till.
 */
export const fillPayments = `
  insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code,
                       acknowledged_at, ack_source, ack_elapsed_ms, reversal_requested_at, reversal_reason)
  select i, case when i % 5 > 0 then 1 else 2 + i / 5 % 199 end, 'PURCHASE',
         case when d.of_100 < 92 then 'SUCCESS' else (array['BANK_OFFLINE', 'BANK_REJECTED', 'CLIENT_CANCEL', 'CLIENT_TIMEOUT'])[1 + i % 4] end, 0,
         date_trunc('milliseconds', now() - ($1 - i) * (interval '90 days' / $1)),
         case when i % 10 = 3 then 10 else 1 + (i::bigint * 7919 % 200000) / 100.0 end, 'ZAR',
         case when i % 10 = 7 then 'till-' || i % 3 else 'order-' || i end, lpad((i::bigint * 7919 % 10000000000)::text, 10, '0'),
         case when d.of_100 < 92 and d.other < 95 then now() end, case when d.of_100 < 92 and d.other < 95 then case when d.other < 93 then 'WEBHOOK' else 'RECOVERY' end end,
         5 + i % 300,
         case when d.of_100 < 92 and d.other in (95, 96, 97, 98) then now() end,
         case when d.of_100 < 92 and d.other in (95, 96, 97, 98) then (array['NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT'])[d.other - 94] end
    from generate_series(1, $1::int) i cross join lateral (select i::bigint * 31 % 100 as of_100, i::bigint * 131 / 100 % 100 as other) d`;

export const deepPayment = `
  select transaction_id::int as "transactionId", to_char(completed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "completedAt", reference, code
    from payment where merchant_id = $1 order by completed_at desc, transaction_id desc offset $2 limit 1`;

/** Blocks of 8 kB that the portal's statements on payments read, and how often it asked. */
export const blocksRead = `
  select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks, coalesce(sum(rows), 0)::float8 as rows from pg_stat_statements
   where dbid = (select oid from pg_database where datname = $1) and query ~ 'from payment' and query !~ 'pg_stat_statements'`;
