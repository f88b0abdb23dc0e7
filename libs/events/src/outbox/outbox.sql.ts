/**
 * Statements for a service's migration. Columns follow Debezium's outbox router (aggregatetype routes to the topic, aggregateid is the
 * record key), so that change data capture can replace the relay without a change of the table.
 */
export const createOutboxTable = [
  `create table outbox (
     id bigint generated always as identity primary key,
     aggregatetype text not null,
     aggregateid text not null,
     type text not null,
     event_id text not null,
     source text not null,
     time text not null,
     traceparent text,
     payload text not null,
     created_at timestamptz not null default clock_timestamp()
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,
] as const;

/** Statements of the outbox. */
export const outboxSql = {
  insert: `
  insert into outbox (aggregatetype, aggregateid, type, event_id, source, time, traceparent, payload)
  select topic, key, type, id, source, time, traceparent, payload
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) with ordinality
    as e(topic, key, type, id, source, time, traceparent, payload, ordinal)
  order by ordinal`,

  // Reads the index, because it drops deleted rows sooner than the table.
  hasWork: 'select 1 from outbox where id <> all($1::bigint[]) order by id limit 1',

  lock: 'select pg_try_advisory_xact_lock($1) as held',

  head: `
  select id, aggregatetype, aggregateid, type, event_id, source, time, traceparent, payload from outbox
   where id <> all($2::bigint[]) order by id limit $1`,

  remove: 'delete from outbox where id = any($1::bigint[])',

  state: `
  select count(*)::int as depth, (extract(epoch from clock_timestamp() - min(created_at)) * 1000)::float8 as age
  from (select created_at from outbox order by id limit $1) waiting`,
} as const;
