import type { EventToPublish } from '../event-transport';
import { encodeBounded } from '../record/event-size';
import { outboxSql } from './outbox.sql';

/** The object that the caller's transaction uses: a QueryRunner, EntityManager or DataSource of TypeORM, or a client of `pg`. */
export interface OutboxExecutor {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/**
 * Writes events in the caller's transaction: they are published if and only if it commits. One statement, in the given order.
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
}

/** @throws EventTooLargeError, because no broker would accept the event */
export function outboxEvent(event: EventToPublish): OutboxEvent {
  return { event, payload: encodeBounded(event).value.toString() };
}

/** The parameters of the events of `insertBesideOutbox`. */
export function outboxColumns(rows: readonly OutboxEvent[]): unknown[] {
  const column = (value: (event: EventToPublish) => string | null) => rows.map(({ event }) => value(event));
  return [
    column(event => event.topic),
    column(event => event.key),
    column(event => event.type),
    column(event => event.id),
    column(event => event.source),
    column(event => event.time),
    column(event => event.traceparent ?? null),
    rows.map(({ payload }) => payload),
  ];
}
