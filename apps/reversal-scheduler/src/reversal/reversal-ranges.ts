import type { RangedTables } from '@paycode/persistence/retention';

/** Jobs and decisions, as retention opens, drops and deletes them. A job without a decision is open, however old it is. */
export const reversalRanges: RangedTables = {
  tables: ['job', 'decision'],
  storageOf: table => (table === 'job' ? 'with (fillfactor = 90)' : ''),
  recent:
    'select transaction_id, armed_at as at from job j where j.shard = s.shard and j.attempt > 0 order by j.due_at desc, j.transaction_id desc',
  open: range =>
    `select 1 from job_${range} j where not exists (select from decision d where d.transaction_id = j.transaction_id)`,

  // Begins at the oldest jobs of each shard, by the index (shard, due_at, transaction_id), and leaves open ones in place. With clock_timestamp(),
  // the index could not bound the read.
  deleteStrays: `
    with old as (
      select j.transaction_id from shard s
       cross join lateral (
         select transaction_id from job_default j
          where j.shard = s.shard and j.due_at < statement_timestamp() - $1 * interval '1 millisecond'
            and exists (select from decision d
                         where d.transaction_id = j.transaction_id and d.at < statement_timestamp() - $1 * interval '1 millisecond')
          order by j.due_at, j.transaction_id limit $2 / 256 + 1) j),
    jobs as (delete from job_default where transaction_id in (select transaction_id from old) returning 1),
    gone as (delete from decision_default where transaction_id in (select transaction_id from old))
    select count(*)::int as count from jobs`,
};
