const columns = `
  pause_id, endpoint, merchant_id, reason, paused_by, paused_at, ends_at, ended_at, ended_by`;
const isInEffect = 'ended_at is null and ends_at > clock_timestamp()';

/** Statements of pauses. Instants are those of the database, so that no clock of a replica says whether a pause is in effect. */
export const pauseSql = {
  inEffect: `
    select endpoint, extract(epoch from ends_at - clock_timestamp()) * 1000 as left_ms from endpoint_pause where ${isInEffect}`,

  // Two people who pause at once: the second sees what the first did. Readers do not wait for this lock.
  lock: 'lock table endpoint_pause in share row exclusive mode',

  latest: `
    select ${columns}, ${isInEffect} as in_effect,
           least(ended_at, ends_at) + $2 * interval '1 second' as again_at,
           least(ended_at, ends_at) + $2 * interval '1 second' > clock_timestamp() as too_soon
      from endpoint_pause where endpoint = $1 order by pause_id desc limit 1`,

  count: `select count(*)::int as paused from endpoint_pause where ${isInEffect}`,

  insert: `
    insert into endpoint_pause (endpoint, merchant_id, reason, paused_by, paused_at, ends_at)
    select $1, $2, $3, $4, now.at, now.at + $5 * interval '1 second' from (select clock_timestamp() as at) now
    returning ${columns}`,

  end: `
    update endpoint_pause set ended_at = clock_timestamp(), ended_by = $2 where pause_id = $1 and ${isInEffect}
    returning ${columns}`,

  list: `select ${columns} from endpoint_pause order by ${isInEffect} desc, pause_id desc limit $1`,
} as const;
