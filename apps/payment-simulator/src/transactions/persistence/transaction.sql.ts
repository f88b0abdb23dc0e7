// A transaction with its refunds and reversal; amounts are text, because JavaScript would read JSON numbers as floats.
const select = `
  select t.*, (
    select json_agg(json_build_object('transactionId', f.transaction_id, 'kind', f.kind, 'txState', f.tx_state, 'amount', f.amount::text)
                    order by f.transaction_id)
      from transaction f where f.reference_transaction_id = t.transaction_id) as follow_ups
    from transaction t`;

export const transactionSql = {
  nextIds: `select nextval('transaction_id') as id from generate_series(1, $1)`,

  // Waits for a concurrent insert under the same key, and then leaves its own row out.
  insert: `
    insert into transaction (transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code,
                             reference_transaction_id, completed_at, notification, idempotency_key)
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::text[],
                         $9::bigint[], $10::timestamptz[], $11::text[], $12::text[])
    on conflict (merchant_id, idempotency_key) where idempotency_key is not null do nothing
    returning transaction_id::text as announced`,

  // The row lock serialises concurrent payments of one code, so that a code for one use is paid once.
  lockCode: `
    select (expires_at is null or expires_at > clock_timestamp()) and not (use_once and used_at is not null) as is_payable
      from code where code = $1 for update`,

  useCode: 'update code set used_at = coalesce(used_at, now()) where code = $1',

  // Locks in one order, so that two batches cannot deadlock.
  lock: 'select 1 from transaction where transaction_id = any($1::bigint[]) order by transaction_id for update',

  markReversed: `update transaction set tx_state = 'END_REVERSED' where transaction_id = any($1::bigint[])`,

  find: `${select} where t.transaction_id = $1`,

  findByKeys: `${select} where (t.merchant_id, t.idempotency_key) in (select * from unnest($1::bigint[], $2::text[]))`,

  findAll: `${select} where t.transaction_id = any($1::bigint[])`,

  latestOfCode: `${select} where t.code = $1 and t.kind = 'PURCHASE' order by t.transaction_id desc limit 1`,
} as const;
