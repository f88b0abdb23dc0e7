import { joinedPayload, unseenLength } from '@paycode/persistence';

/**
 * Statements for a service's migration. Columns follow Debezium's outbox router (aggregatetype routes to the topic, aggregateid is the
 * record key). A row may hold several events of one topic, type and source: then the other columns have a line for each (ADR 0092).
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
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
     toast_tuple_target = 8160)`,
  // A row lives for milliseconds, and its sealed payload does not compress: in its row it is one write and one deletion; moved to a second
  // table it was three of each, with an index (ADR 0090).
  'alter table outbox alter column payload set storage external',
] as const;

/** Columns of an event, in the order of `outboxColumns`. */
const attributes = 'aggregatetype, aggregateid, type, event_id, source, time, traceparent';
const columns = `${attributes}, payload`;
const attributeCount = attributes.split(', ').length;

/** A line for each event of a row. No event has a line break in one of its columns. */
const lines = (column: string, order: string): string => `string_agg(${column}, E'\\n' order by ${order})`;

/**
 * A row's columns of several events, in their order: what an insert into `outbox (aggregateid, event_id, time, payload, traceparent)`
 * selects from events of one topic, type and source.
 */
export const linesOfEvents = (columnOf: { key: string; id: string; order: string }): string => `
  ${lines(columnOf.key, columnOf.order)}, ${lines(columnOf.id, columnOf.order)}, ${lines('time', columnOf.order)},
  ${lines('payload', columnOf.order)},
  case when count(traceparent) > 0 then ${lines("coalesce(traceparent, '')", columnOf.order)} end`;

const attributesFrom = (first: number): string[] => Array.from({ length: attributeCount }, (_, at) => `$${first + at}::text[]`);

/** Inserts those events whose columns are the parameters from `$first` on: attributes, payloads as `joinPayloads` has them, the place of their row. */
const insertFrom = (first: number, those = ''): string => {
  const [bytes, starts, lengths, places] = Array.from({ length: 4 }, (_, at) => `$${first + attributeCount + at}`);
  return `
  insert into outbox (aggregatetype, type, source, aggregateid, event_id, time, payload, traceparent)
  select aggregatetype, type, source, ${linesOfEvents({ key: 'aggregateid', id: 'event_id', order: 'ordinal' })}
  from (select ${attributes}, ${joinedPayload(bytes!, 'start', 'length')} as payload, place, ordinal
          from unnest(${attributesFrom(first).join(', ')}, ${starts}::int[], ${lengths}::int[], ${unseenLength(`${places}::int[]`)})
            with ordinality as a(${attributes}, start, length, place, ordinal) ${those}) e
  group by place, aggregatetype, type, source
  order by place`;
};

/** Numbers that PostgreSQL gave. */
const arrayOf = (ids: readonly string[]): string => `'{${ids.map(BigInt).join(',')}}'::bigint[]`;

/** Statements of the outbox. */
export const outboxSql = {
  insert: insertFrom(1),

  /**
   * The insert of a service's own rows, whose parameters are `$1` to `$<parameterCount>` and which returns the `aggregateid` of each row
   * as `announced`, and behind it that of their events. Returns what was announced.
   */
  insertBeside: (rows: string, parameterCount: number): string =>
    `with fact as (${rows}), told as (${insertFrom(parameterCount + 1, 'where aggregateid in (select announced from fact)')})
     select announced as aggregateid from fact`,

  // Reads the index, because it drops deleted rows sooner than the table.
  hasWork: 'select 1 from outbox where id <> all($1::bigint[]) order by id limit 1',

  /**
   * Begins a transaction, tries the lock and reads the head, in one round trip. Each statement has a snapshot of its own, so that of the
   * read begins after the lock: rows that were just deleted do not appear again.
   */
  beginWithHead: ({ lock, limit, passedOver }: { lock: number; limit: number; passedOver: readonly string[] }): string => `
  begin;
  select pg_try_advisory_xact_lock(${lock}) as held;
  select id, ${columns} from outbox where id <> all(${arrayOf(passedOver)}) order by id limit ${limit}`,

  /** Deletes the events and ends the transaction, in one round trip. */
  removeAndCommit: (ids: readonly string[]): string => `delete from outbox where id = any(${arrayOf(ids)}); commit`,

  /** Leaves some of the events of a row in it. */
  leave: 'update outbox set aggregateid = $2, event_id = $3, time = $4, payload = $5, traceparent = $6 where id = $1',

  state: `
  select coalesce(sum(1 + length(aggregateid) - length(replace(aggregateid, E'\\n', ''))), 0)::int as depth,
         (extract(epoch from clock_timestamp() - min(created_at)) * 1000)::float8 as age
  from (select created_at, aggregateid from outbox order by id limit $1) waiting`,
} as const;
