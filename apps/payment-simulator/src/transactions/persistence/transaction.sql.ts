import { joinedPayload, unseenLength } from '@paycode/persistence';

// A transaction with its refunds and reversal; amounts are text, because JavaScript would read JSON numbers as floats.
const select = `
  select t.*, (
    select json_agg(json_build_object('transactionId', f.transaction_id, 'kind', f.kind, 'txState', f.tx_state, 'amount', f.amount::text)
                    order by f.transaction_id)
      from transaction f where f.reference_transaction_id = t.transaction_id) as follow_ups
    from transaction t`;

// Columns of an event, as eventColumns has them.
const event = 'aggregatetype, aggregateid, type, event_id, source, time, traceparent, payload';
/** Events that become due together, for each pass. */
const dueMax = 500;

export const transactionSql = {
  nextIds: `select nextval('transaction_id') as id from generate_series(1, $1)`,

  // Waits for a concurrent insert under the same key, and then leaves its own row out.
  insert: `
    insert into transaction (transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code,
                             reference_transaction_id, completed_at, notification, idempotency_key)
    select transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code, reference_transaction_id, completed_at,
           ${joinedPayload('$12', 'start', 'length')}, idempotency_key
      from unnest(${unseenLength('$1::bigint[]')}, $2::bigint[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[], $8::text[],
                  $9::bigint[], $10::timestamptz[], $11::text[], $13::int[], $14::int[])
        as t(transaction_id, merchant_id, kind, tx_state, reference, amount, currency_code, code, reference_transaction_id, completed_at,
             idempotency_key, start, length)
    on conflict (merchant_id, idempotency_key) where idempotency_key is not null do nothing
    returning transaction_id::text as announced`,

  // The row lock serialises concurrent payments of one code, so that a code for one use is paid once.
  lockCode: `
    select (expires_at is null or expires_at > clock_timestamp()) and not (use_once and used_at is not null) as is_payable
      from code where code = $1 for update`,

  useCode: 'update code set used_at = coalesce(used_at, now()) where code = $1',

  announceLater: `
    insert into late_announcement (${event}, due_at)
    select ${event}, clock_timestamp() + $9 * interval '1 second'
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) as e(${event})`,

  // One statement: an event is late or in the outbox, never both or neither. Replicas skip what another one moves.
  announceDue: `
    with due as (
      select event_id from late_announcement where due_at <= clock_timestamp() order by due_at limit ${dueMax} for update skip locked),
    taken as (delete from late_announcement l using due where l.event_id = due.event_id returning l.*),
    moved as (insert into outbox (${event}) select ${event} from taken order by due_at returning 1)
    select count(*)::int as count, least(
             case when count(*) = ${dueMax} then 0 end,
             (select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8
                from late_announcement where due_at > statement_timestamp())) as wait_ms
      from moved`,

  // Locks in one order, so that two batches cannot deadlock.
  lock: 'select 1 from transaction where transaction_id = any($1::bigint[]) order by transaction_id for update',

  markReversed: `update transaction set tx_state = 'END_REVERSED' where transaction_id = any($1::bigint[])`,

  find: `${select} where t.transaction_id = $1`,

  findByKeys: `${select} where (t.merchant_id, t.idempotency_key) in (select * from unnest($1::bigint[], $2::text[]))`,

  findAll: `${select} where t.transaction_id = any($1::bigint[])`,

  latestOfCode: `${select} where t.code = $1 and t.kind = 'PURCHASE' order by t.transaction_id desc limit 1`,
} as const;
