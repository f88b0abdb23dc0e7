/** The same option as in the first migration: payloads stay in the row. */
const optionsOf = (table: string) => (table === 'delivery' ? 'with (toast_tuple_target = 8160)' : '');

/** Partition `<table>_<range>`. Names and numbers come from the code and stand in the text, because these statements take no parameters. */
export interface Partition {
  table: string;
  range: number;
}

/** Ids from `lower` up to before `upper`. */
export interface Bounds {
  lower: number;
  upper: number;
}

const within = ({ lower, upper }: Bounds) => `transaction_id >= ${lower} and transaction_id < ${upper}`;

/** Statements of the id ranges. */
export const idRangeSql = {
  ranges: `select range, lower, upper, extract(epoch from clock_timestamp() - passed_at) * 1000 as passed_ago_ms from id_range order by range`,

  // Reads the last rows of every shard. Takes nearly the highest id, not the highest: a single wrong id must not move the ranges away
  // from the sequence.
  head: `
    select percentile_disc(0.98) within group (order by transaction_id) as high,
           (percentile_disc(0.98) within group (order by transaction_id) - percentile_disc(0.02) within group (order by transaction_id))
             / nullif(extract(epoch from percentile_disc(0.98) within group (order by received_at)
                                       - percentile_disc(0.02) within group (order by received_at)), 0) * 86400 as per_day
      from shard l
     cross join lateral (
       select transaction_id, received_at from delivery d where d.shard = l.shard and not d.stub order by d.seq desc limit 16) r
    having count(*) >= 100`,

  markPassed: 'update id_range set passed_at = clock_timestamp() where range = any($1) and passed_at is null',

  openRows: (range: number) => `
    select 1 from delivery_${range} d
     where not exists (select from verdict v where v.transaction_id = d.transaction_id)
        or exists (select from notice_retry n where n.transaction_id = d.transaction_id)
     limit 1`,

  isAttached: 'select relispartition as attached from pg_class where oid = to_regclass($1)',

  // Deletes rows outside every range in small portions. There are few, unless ids do not grow with time.
  deleteStrays: `
    with old as (
      select d.transaction_id from delivery_default d join verdict v using (transaction_id)
       where d.received_at < clock_timestamp() - $1 * interval '1 millisecond'
         and not exists (select from notice_retry n where n.transaction_id = d.transaction_id)
       limit $2),
    attempts as (delete from attempt where transaction_id in (select transaction_id from old)),
    verdicts as (delete from verdict where transaction_id in (select transaction_id from old)),
    gone as (delete from delivery_default where transaction_id in (select transaction_id from old) returning 1)
    select count(*)::int as count from gone`,

  tryLock: 'select pg_try_advisory_lock($1) as held',
  unlock: 'select pg_advisory_unlock($1)',

  insert: 'insert into id_range (lower, upper) values ($1, $2) returning range',
  remove: 'delete from id_range where range = $1',

  keepOut: ({ table, range, ...bounds }: Partition & Bounds) =>
    `alter table ${table}_default add constraint keeps_out_${range} check (not (${within(bounds)})) not valid`,
  validate: ({ table, range }: Partition) => `alter table ${table}_default validate constraint keeps_out_${range}`,
  dropCheck: ({ table, range }: Partition) => `alter table ${table}_default drop constraint keeps_out_${range}`,
  dropCheckIfThere: ({ table, range }: Partition) => `alter table ${table}_default drop constraint if exists keeps_out_${range}`,
  create: ({ table, range }: Partition) =>
    `create table ${table}_${range} (like ${table} including defaults including constraints including storage) ${optionsOf(table)}`,
  attach: ({ table, range, lower, upper }: Partition & Bounds) =>
    `alter table ${table} attach partition ${table}_${range} for values from (${lower}) to (${upper})`,
  detach: ({ table, range }: Partition) => `alter table ${table} detach partition ${table}_${range}`,
  drop: ({ table, range }: Partition) => `drop table if exists ${table}_${range}`,
} as const;
