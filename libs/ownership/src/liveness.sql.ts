/** First key of the locks by which replicas show that they are alive. */
const livenessLockClass = 0x6c_69_66;

/** The second key: the last part of a replica's id. If two were alike, one of them would be judged by its heartbeat alone. */
const lockKeyOf = (id: string) => `('x' || right(${id}::text, 8))::bit(32)::int`;

/** The locks by which replicas show that they are alive (P-T11). They fall with the connection that took them. */
export const livenessSql = {
  hold: `select pg_try_advisory_lock(${livenessLockClass}, ${lockKeyOf('$1::uuid')}) as held`,
  isHeld: (id: string) => `exists (
    select from held_locks where held_locks.objid = ${lockKeyOf(id)}::oid)`,
  // Read once per statement: pg_locks stops all lock traffic of the server for the moment of its copy.
  heldLocks: `held_locks as materialized (
    select objid from pg_locks
     where locktype = 'advisory' and classid = ${livenessLockClass}::oid and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database()))`,
} as const;
