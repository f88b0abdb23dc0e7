import { DataFault, joinedPayload, joinPayloads, scalars, texts, unseenLength } from '@paycode/persistence';
import type { EventToPublish } from '../event-transport';
import { chunked, encodeBounded, pageLimits } from '../record/cloud-event';

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

/** The object that the caller's transaction uses: a QueryRunner, EntityManager or DataSource of TypeORM, or a client of `pg`. */
export interface OutboxExecutor {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/**
 * Writes events in the caller's transaction: they are published if and only if it commits. One statement, in the given order; as many in a row
 * as fill a page. Throws EventTooLargeError, which fails the transaction, because no broker would accept the event.
 */
export async function insertOutbox(executor: OutboxExecutor, events: readonly EventToPublish[]): Promise<void> {
  if (events.length > 0) await executor.query(outboxSql.insert, outboxColumns(events.map(outboxEvent)));
}

/**
 * Text of one statement that inserts a service's rows and their events, in that order. `rows` is an insert with the parameters `$1` to
 * `$<parameterCount>` that returns the key of each inserted row's event as `announced`; an event of a row that it left out is not written.
 * Returns the keys as `aggregateid`.
 */
export function insertBesideOutbox(rows: string, parameterCount: number): string {
  const events = insertFrom(parameterCount + 1, 'where aggregateid in (select announced from fact)');
  return `with fact as (${rows}), told as (${events}) select announced as aggregateid from fact`;
}

/** An event in the form of its row. */
export interface OutboxEvent {
  event: EventToPublish;
  payload: string;
  bytes: number;
}

/** @throws DataFault (EventTooLargeError), because no broker would accept the event; or it would not stay on its line of a row */
export function outboxEvent(event: EventToPublish): OutboxEvent {
  const { value, bytes } = encodeBounded(event);
  if ([event.key, event.id, event.time, event.traceparent ?? ''].some(text => text.includes('\n')))
    throw new DataFault('key, id, time or traceparent of an event has a line break');
  return { event, payload: value.toString(), bytes };
}

/** The parameters of the events of `insertBesideOutbox`: their columns, and the place of the row that each goes into. */
export function outboxColumns(rows: readonly OutboxEvent[]): unknown[] {
  const inRows = chunked(rows, { ...pageLimits, isAlike });
  const { bytes, starts, lengths } = joinPayloads(rows.map(({ payload }) => payload));
  const places = scalars(inRows.flatMap((row, place) => row.map(() => place)));
  return [...attributesOf(rows).map(texts), bytes, starts, lengths, places];
}

function isAlike({ event: one }: OutboxEvent, { event: next }: OutboxEvent): boolean {
  return one.topic === next.topic && one.type === next.type && one.source === next.source;
}

/** The columns of events, each for itself. */
export function eventColumns(rows: readonly OutboxEvent[]): unknown[] {
  return [...attributesOf(rows), rows.map(({ payload }) => payload)];
}

function attributesOf(rows: readonly OutboxEvent[]): (string | null)[][] {
  const names = ['topic', 'key', 'type', 'id', 'source', 'time', 'traceparent'] as const;
  return names.map(name => rows.map(({ event }) => event[name] ?? null));
}

/** A row of the outbox: one event, or several, each with a line in the columns `aggregateid` to `payload`. */
export interface StoredEvents {
  id: string;
  aggregatetype: string;
  type: string;
  source: string;
  aggregateid: string;
  event_id: string;
  time: string;
  traceparent: string | null;
  payload: string;
}

export interface StoredEvent {
  rowId: string;
  topic: string;
  type: string;
  source: string;
  key: string;
  eventId: string;
  time: string;
  /** Empty: none. */
  traceparent: string;
  payload: string;
}

/** In their order. */
export function eventsIn(row: StoredEvents): StoredEvent[] {
  const { id: rowId, aggregatetype: topic, type, source } = row;
  const keys = row.aggregateid.split('\n');
  // A payload alone may be of any form.
  const lines = (text: string | null) => (keys.length === 1 ? [text ?? ''] : (text ?? '').split('\n'));
  const [ids, times, traceparents, payloads] = [row.event_id, row.time, row.traceparent, row.payload].map(lines);
  return keys.map((key, at) => ({
    ...{ rowId, topic, type, source, key },
    eventId: ids![at] ?? '',
    time: times![at] ?? '',
    traceparent: traceparents![at] ?? '',
    payload: payloads![at] ?? '',
  }));
}

/** The columns of a row of these events: aggregateid, event_id, time, payload, traceparent. */
export function linesOf(events: readonly StoredEvent[]): (string | null)[] {
  const lines = (column: (event: StoredEvent) => string) => events.map(column).join('\n');
  const isTraced = events.some(({ traceparent }) => traceparent !== '');
  return [
    lines(({ key }) => key),
    lines(({ eventId }) => eventId),
    lines(({ time }) => time),
    lines(({ payload }) => payload),
    isTraced ? lines(({ traceparent }) => traceparent) : null,
  ];
}

/** @throws DataFault when the payload is not JSON */
export function toEvent({ topic, key, eventId, type, source, time, traceparent, payload }: StoredEvent): EventToPublish {
  const event = { topic, key, id: eventId, type, source, time, data: dataOf(payload) };
  return traceparent === '' ? event : { ...event, traceparent };
}

function dataOf(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    // The message of the syntax error may quote the payload (T-16).
    throw new DataFault('payload is not JSON');
  }
}
