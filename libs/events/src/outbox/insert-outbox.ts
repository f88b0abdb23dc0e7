import { DataFault, joinPayloads, scalars, texts } from '@paycode/persistence';
import type { EventToPublish } from '../event-transport';
import { chunked, encodeBounded, pageLimits } from '../record/event-size';
import { outboxSql } from './outbox.sql';

/** The object that the caller's transaction uses: a QueryRunner, EntityManager or DataSource of TypeORM, or a client of `pg`. */
export interface OutboxExecutor {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/**
 * Writes events in the caller's transaction: they are published if and only if it commits. One statement, in the given order; as
 * many in a row as fill a page.
 * Throws EventTooLargeError, which fails the transaction, because no broker would accept the event.
 */
export async function insertOutbox(executor: OutboxExecutor, events: readonly EventToPublish[]): Promise<void> {
  if (events.length > 0) await executor.query(outboxSql.insert, outboxColumns(events.map(outboxEvent)));
}

/**
 * Text of one statement that inserts a service's rows and their events, in that order. `rows` is an insert with the parameters `$1` to
 * `$<parameterCount>` that returns the key of each inserted row's event as `announced`; an event of a row that it left out is not written.
 * Returns the keys as `aggregateid`.
 */
export const insertBesideOutbox = outboxSql.insertBeside;

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
  return [
    ...attributesOf(rows).map(texts),
    bytes,
    starts,
    lengths,
    scalars(inRows.flatMap((row, place) => row.map(() => place))),
  ];
}

function isAlike({ event: one }: OutboxEvent, { event: next }: OutboxEvent): boolean {
  return one.topic === next.topic && one.type === next.type && one.source === next.source;
}

/** The columns of events, each for itself. */
export function eventColumns(rows: readonly OutboxEvent[]): unknown[] {
  return [...attributesOf(rows), rows.map(({ payload }) => payload)];
}

function attributesOf(rows: readonly OutboxEvent[]): (string | null)[][] {
  const column = (value: (event: EventToPublish) => string | null) => rows.map(({ event }) => value(event));
  return [
    column(event => event.topic),
    column(event => event.key),
    column(event => event.type),
    column(event => event.id),
    column(event => event.source),
    column(event => event.time),
    column(event => event.traceparent ?? null),
  ];
}
