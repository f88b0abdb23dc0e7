export const signingKeySql = {
  // Serialises writers of keys; readers do not wait.
  lock: 'lock table signing_key in share row exclusive mode',

  // Under the lock a new key is always the newest, even when two rotations happen in one millisecond.
  insert: `
    insert into signing_key (kid, use, sealed, created_at)
    select $1, $2, $3, greatest($4::timestamptz, max(created_at) + interval '1 microsecond') from signing_key where use = $2`,

  dropAllButNewest: `
    delete from signing_key where use = $1
    and kid not in (select kid from signing_key where use = $1 order by created_at desc, kid limit $2)`,

  newestOfFull: `
    select max(newest) as at from (
      select max(created_at) as newest from signing_key where use = any($1) group by use having count(*) >= $2) as full_uses`,
} as const;
