import type { EventToPublish } from '../event-transport';
import { encodeBounded } from '../record/event-size';

/** The object that the caller's transaction uses: a QueryRunner, EntityManager or DataSource of TypeORM, or a client of `pg`. */
export interface OutboxExecutor {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

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

const insert = `
  insert into outbox (aggregatetype, aggregateid, type, event_id, source, time, traceparent, payload)
  select topic, key, type, id, source, time, traceparent, payload
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) with ordinality
    as e(topic, key, type, id, source, time, traceparent, payload, ordinal)
  order by ordinal`;

/**
 * Writes events in the caller's transaction: they are published if and only if it commits. One statement, in the given order.
 * Throws EventTooLargeError, which fails the transaction, because no broker would accept the event.
 */
export async function insertOutbox(executor: OutboxExecutor, events: readonly EventToPublish[]): Promise<void> {
  if (events.length === 0) return;
  const payloads = events.map(event => encodeBounded(event).value.toString());
  const column = (value: (event: EventToPublish) => string | null) => events.map(value);
  await executor.query(insert, [
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
