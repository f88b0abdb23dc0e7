/** Statements of informational deliveries that are repeated. */
export const informationalSql = {
  takeDue: `
  with due as materialized (
    select transaction_id from notice_retry where shard = any($1::smallint[]) and due_at <= statement_timestamp()
     order by due_at limit $2 for update skip locked)
  update notice_retry n set due_at = clock_timestamp() + $3 * interval '1 millisecond'
    from due join delivery d using (transaction_id)
   where n.transaction_id = due.transaction_id
  returning n.transaction_id as id, n.attempt, n.shard, d.seq, d.merchant_id as merchant, d.payload`,

  finish: `
  with input as (
    select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::text[], $5::integer[], $6::timestamptz[], $7::bigint[],
                         $8::text[], $9::integer[])
      as t(transaction_id, attempt, epoch, outcome, elapsed_ms, started_at, retry_ms, unanswered, unanswered_ms)),
  recorded as (
    insert into attempt (transaction_id, attempt, epoch, outcome, elapsed_ms, started_at, unanswered, unanswered_ms)
    select transaction_id, attempt, epoch, outcome, elapsed_ms, coalesce(started_at, clock_timestamp()), unanswered, unanswered_ms
      from input order by 1
    on conflict do nothing),
  over as (
    delete from notice_retry n using input i
     where n.transaction_id = i.transaction_id and n.attempt = i.attempt and i.retry_ms is null)
  update notice_retry n set attempt = n.attempt + 1, due_at = clock_timestamp() + i.retry_ms * interval '1 millisecond'
    from input i
   where n.transaction_id = i.transaction_id and n.attempt = i.attempt and i.retry_ms is not null`,

  redeliver: `
  with found as (
    select d.reversible, v.kind is not null as concluded, coalesce(v.attempt, 0) as first,
           (select coalesce(max(a.attempt), 0) from attempt a where a.transaction_id = d.transaction_id) as last
      from delivery d left join verdict v using (transaction_id)
     where d.transaction_id = $1 and not d.stub),
  scheduled as (
    insert into notice_retry (transaction_id, shard, attempt, due_at)
    select $1, $2, greatest(first, last) + 1, clock_timestamp() from found where not reversible and concluded
    on conflict (transaction_id) do update set due_at = least(notice_retry.due_at, clock_timestamp()))
  select case when reversible then 'MOVES_MONEY' when concluded then 'SCHEDULED' else 'UNDER_WAY' end as outcome from found`,
} as const;
