import { DataFault } from '@paycode/persistence';
import type { EventToPublish } from '../event-transport';

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
