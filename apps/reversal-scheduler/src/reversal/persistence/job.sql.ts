const microseconds = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;
const leftMs = (column: string) => `extract(epoch from ${column} - clock_timestamp()) * 1000`;

/**
 * One statement stores the jobs and looks for decisions that stand already, as one step of the model does (settlement.pml, ARM). All batches
 * lock rows in the same order, so that two of the same rows cannot deadlock.
 */
const arm = (onConflict: string) => `
    with armed as (
      insert into job (transaction_id, shard, merchant_id, attempt, due_at)
      select id, shard, merchant, attempt, clock_timestamp() + $5::float8 * interval '1 millisecond'
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::smallint[]) as t(id, shard, merchant, attempt)
       order by id
      ${onConflict})
    select t.id, d.kind from unnest($1::bigint[]) as t(id) join decision d on d.transaction_id = t.id`;

/** Statements of jobs. */
export const jobSql = {
  /** For jobs that are new: without an arbiter, a row takes a quarter less of PostgreSQL's time. Fails when one is not new (SQLSTATE 23505). */
  armNew: { name: 'arm-new', text: arm('') },

  /** For jobs that may be there already. */
  arm: {
    name: 'arm',
    text: arm(`on conflict (transaction_id) do update
        set attempt = greatest(job.attempt, excluded.attempt), due_at = greatest(job.due_at, excluded.due_at)`),
  },

  watch: `with added as (
         insert into job (transaction_id, shard, merchant_id, attempt, due_at)
         select id, shard, merchant, 0, clock_timestamp() + $4::float8 * interval '1 millisecond'
           from unnest($1::bigint[], $2::smallint[], $3::bigint[]) as t(id, shard, merchant)
          where not exists (select from decision d where d.transaction_id = t.id)
          order by id
         on conflict (transaction_id) do nothing
         returning 1)
       select count(*) as watched from added`,

  // One read of the index (shard, due_at, transaction_id) per shard; the primary key of `decision` excludes decided jobs. The window ends
  // at a time that is fixed for the statement: with clock_timestamp() the index could not bound the read, and it would read every pending
  // job. When the clock was set back behind a mark, the read begins two minutes before the new time, so that it misses no job. The row
  // without a shard returns the clock.
  scan: `(select j.transaction_id as id, j.merchant_id as merchant, j.shard,
               ${microseconds('j.due_at')} as due_us
          from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as c(shard, after_us, after_id)
          join shard s on s.shard = c.shard
         cross join lateral (
           select * from job
            where job.shard = c.shard and job.due_at <= statement_timestamp() + $4::float8 * interval '1 millisecond'
              and (job.due_at, job.transaction_id)
                  > (coalesce(timestamptz 'epoch' + c.after_us * interval '1 microsecond',
                              least(s.low_due_at, statement_timestamp() - $6::float8 * interval '1 millisecond')),
                     coalesce(c.after_id, 0))
              and not exists (select from decision d where d.transaction_id = job.transaction_id)
            order by job.due_at, job.transaction_id
            limit $5) j
         order by j.shard, j.due_at, j.transaction_id)
       union all
       select null, null, null, ${microseconds('statement_timestamp()')}`,

  undecided: `select j.transaction_id as id, ${leftMs('j.due_at')} as left_ms
         from unnest($1::bigint[]) as t(id) join job j on j.transaction_id = t.id
        where not exists (select from decision d where d.transaction_id = t.id)`,

  advance: `update shard set low_due_at = t.mark
         from (select shard, least(timestamptz 'epoch' + us * interval '1 microsecond', clock_timestamp())
                             - $3::float8 * interval '1 millisecond' as mark
                 from unnest($1::smallint[], $2::bigint[]) as u(shard, us)) t
        where shard.shard = t.shard and shard.low_due_at < t.mark`,

  stateOf: `select j.armed_at, j.due_at, d.kind, d.at, d.reason
         from (select $1::bigint as id) t
         left join job j on j.transaction_id = t.id
         left join decision d on d.transaction_id = t.id
        where j.transaction_id is not null or d.transaction_id is not null`,
} as const;
