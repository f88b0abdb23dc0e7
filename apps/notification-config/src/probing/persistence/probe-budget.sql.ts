export const probeBudgetSql = {
  // One probe at a time per merchant; another replica may take over the row of a dead replica's probe when its time is over.
  enter: `
    insert into probe_in_flight as flight (merchant_id, probe_id, expires_at)
    values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
    on conflict (merchant_id) do update set probe_id = excluded.probe_id, expires_at = excluded.expires_at
    where flight.expires_at < clock_timestamp()
    returning 1`,

  release: 'delete from probe_in_flight where merchant_id = $1 and probe_id = $2',

  makeBuckets: `
    insert into probe_bucket (bucket, tokens, refilled_at)
    select name, capacity, clock_timestamp() from unnest($1::text[], $2::float8[]) as fresh (name, capacity)
    on conflict do nothing`,

  // Serialises probes that share a bucket.
  lockBuckets: `
    select bucket, tokens, extract(epoch from refilled_at)::float8 * 1000 as refilled_at_ms,
           extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
    from probe_bucket where bucket = any($1) order by bucket for update`,

  spend: `
    update probe_bucket set tokens = spent.tokens, refilled_at = to_timestamp(spent.refilled_at_ms / 1000)
    from unnest($1::text[], $2::float8[], $3::float8[]) as spent (name, tokens, refilled_at_ms) where bucket = spent.name`,
} as const;
