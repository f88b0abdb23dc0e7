import type { RangedTables } from '@paycode/persistence/retention';

/** Deliveries, their attempts and verdicts, as retention opens, drops and deletes them. */
export const deliveryRanges: RangedTables = {
  tables: ['delivery', 'attempt', 'verdict'],

  // The same as in the first migration: payloads stay in the row.
  storageOf: table => (table === 'delivery' ? 'with (toast_tuple_target = 8160)' : ''),

  recent: 'select transaction_id, received_at as at from delivery d where d.shard = s.shard and not d.stub order by d.seq desc',

  open: range => `
    select 1 from delivery_${range} d
     where not exists (select from verdict v where v.transaction_id = d.transaction_id)
        or exists (select from notice_retry n where n.transaction_id = d.transaction_id)`,

  // Looks at the first rows of each shard alone, by the index (shard, seq): most of the table may be young. Stubs are few, and have no place in
  // its order.
  deleteStrays: `
    with oldest as materialized (
      select d.* from shard s cross join lateral (
        (select transaction_id, received_at from delivery_default d where d.shard = s.shard and d.seq > 0 order by d.seq limit $2 / 256 + 1)
         union all
        select transaction_id, received_at from delivery_default d where d.shard = s.shard and d.seq = 0) d),
    old as (
      select d.transaction_id from oldest d join verdict v using (transaction_id)
       where d.received_at < statement_timestamp() - $1 * interval '1 millisecond'
         and not exists (select from notice_retry n where n.transaction_id = d.transaction_id)
       limit $2),
    attempts as (delete from attempt where transaction_id in (select transaction_id from old)),
    verdicts as (delete from verdict where transaction_id in (select transaction_id from old)),
    gone as (delete from delivery_default where transaction_id in (select transaction_id from old) returning 1)
    select count(*)::int as count from gone`,
};
