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
  if (events.length === 0) return;
  const payloads = events.map(event => encodeBounded(event).value.toString());
  const column = (value: (event: EventToPublish) => string | null) => events.map(value);
  await executor.query(outboxSql.insert, [
    column(event => event.topic),
    column(event => event.key),
    column(event => event.type),
    column(event => event.id),
    column(event => event.source),
    column(event => event.time),
    column(event => event.traceparent ?? null),
    payloads,
  ]);
}
