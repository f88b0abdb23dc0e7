export const guessSql = {
  // Counts as many tries of each key as its rule permits: the remaining free ones and one more, or one after a wait, or none during a wait.
  // The keys are sorted, so that two statements lock shared rows in the same order; because of the row lock the second sees the count of
  // the first.
  count: {
    name: 'count-guesses',
    text: `
      with tries as (
        select * from unnest($1::bytea[], $2::int[], $3::int[], $4::float8[], $5::float8[], $6::float8[], $7::boolean[])
          as t (key, tries, free, delay_first_ms, delay_max_ms, memory_ms, is_since_first)
      )
      insert into guess_count as g (key, failures, counted, last_failed_at, forget_at)
      select key, least(tries, free + 1), least(tries, free + 1), $8::timestamptz, $8 + memory_ms * interval '1 ms' from tries order by key
      on conflict (key) do update set (failures, counted, last_failed_at, forget_at) = (
        select least(before.failures + now.counted, 1000000), now.counted,
          case when now.counted > 0 then greatest($8, g.last_failed_at) else g.last_failed_at end,
          case when before.is_new or (now.counted > 0 and not t.is_since_first) then excluded.forget_at else g.forget_at end
        from tries t,
          lateral (select g.forget_at <= $8 as is_new, case when g.forget_at <= $8 then 0 else g.failures end as failures) before,
          lateral (select before.failures > t.free and $8 < g.last_failed_at
            + least(t.delay_max_ms, t.delay_first_ms * 2 ^ least(before.failures - t.free - 1, 30)) * interval '1 ms' as is_blocked) wait,
          lateral (select case when wait.is_blocked then 0
            else least(t.tries, greatest(t.free + 1 - before.failures, 1)) end as counted) now
        where t.key = excluded.key)
      returning key, failures, counted, last_failed_at, forget_at`,
  },

  // Locks rows in the same order as `count`.
  giveBack: `
    with locked as (select key from guess_count where key = any($1::bytea[]) order by key for update)
    update guess_count g set failures = greatest(g.failures - 1, 0) from locked where g.key = locked.key`,
} as const;
