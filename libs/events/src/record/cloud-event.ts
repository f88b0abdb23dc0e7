import { deadLetterDefaults, isDeadLetterTopic, type TopicDefinition } from '@paycode/dto';
import { DataFault } from '@paycode/persistence';
import type { EventToPublish, RawRecord } from '../event-transport';

/** Kafka binary mode of CloudEvents 1.0: attributes in headers, data alone in the value, transaction id in the key. */
export interface EventRecord {
  key: string;
  value: Buffer;
  headers: Record<string, string>;
}

export type Decoded =
  | { ok: true; event: Omit<EventToPublish, 'topic'> }
  /** `reason` names the defect and never carries payload (T-16). */
  | { ok: false; reason: string };

const required = ['ce_id', 'ce_type', 'ce_source', 'ce_time'] as const;

/** Header that a dead letter carries besides those it was received with. */
export const dlqReasonHeader = 'dlq_reason';

export function encodeCloudEvent(event: EventToPublish): EventRecord {
  return {
    key: event.key,
    value: Buffer.from(JSON.stringify(event.data)),
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_type: event.type,
      ce_source: event.source,
      ce_time: event.time,
      ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    },
  };
}

/** Never throws. For a record that it cannot decode it returns a reason, so that the caller can park it. */
export function decodeCloudEvent(record: RawRecord): Decoded {
  const missing = required.filter(name => !headerOf(record, name));
  if (missing.length > 0) return { ok: false, reason: `header ${missing.join(', ')} missing` };
  if (!record.key || record.key.length === 0) return { ok: false, reason: 'key missing' };
  const contentType = headerOf(record, 'content-type');
  if (contentType && !/^application\/json\b/i.test(contentType))
    return { ok: false, reason: 'content-type is not application/json' };
  const data = parseJson(record.value);
  if (data === undefined) return { ok: false, reason: 'value is not JSON' };
  return { ok: true, event: { ...attributesOf(record), key: textOf(record.key), data } };
}

function attributesOf(record: RawRecord) {
  const traceparent = headerOf(record, 'traceparent');
  return {
    id: headerOf(record, 'ce_id')!,
    type: headerOf(record, 'ce_type')!,
    source: headerOf(record, 'ce_source')!,
    time: headerOf(record, 'ce_time')!,
    ...(traceparent ? { traceparent } : {}),
  };
}

/** The first value of a header, as text. */
export function headerOf(record: RawRecord, name: string): string | undefined {
  const value = record.headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? undefined : textOf(first);
}

function textOf(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
}

function parseJson(value: RawRecord['value']): unknown {
  if (!value) return undefined;
  try {
    return JSON.parse(textOf(value));
  } catch {
    // The only failure of JSON.parse is a syntax error, and its message may quote the payload.
    return undefined;
  }
}

/** Largest event, in bytes of key, headers and value: well below the broker's 1 MiB per batch, and well above a sealed notification. */
export const eventBytesMax = 262_144;

/** The event is too large. A broker would always refuse it, and it would block the events behind it, so it is refused where it is made. */
export class EventTooLargeError extends DataFault {
  override readonly name = 'EventTooLargeError';

  constructor(type: string, bytes: number) {
    super(`event of type ${type} has ${bytes} bytes, more than ${eventBytesMax}`);
  }
}

export interface SizedRecord extends EventRecord {
  topic: string;
  bytes: number;
}

/** Encodes an event. Throws EventTooLargeError. */
export function encodeBounded(event: EventToPublish): SizedRecord {
  const record = encodeCloudEvent(event);
  const headerBytes = Object.entries(record.headers).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  const bytes = record.value.length + Buffer.byteLength(record.key) + headerBytes;
  if (bytes > eventBytesMax) throw new EventTooLargeError(event.type, bytes);
  return { ...record, topic: event.topic, bytes };
}

export interface ChunkLimits<T> {
  countMax: number;
  bytesMax: number;
  /** Whether two items that follow each other may stand in one run. Default: any. */
  isAlike?(one: T, next: T): boolean;
}

/** Events that are kept in one row fill a page of PostgreSQL at most, so that the row is not cut into pieces in a second table. */
export const pageLimits = { countMax: 500, bytesMax: 7_800 };

/** Cuts a list into runs of at most `countMax` items and `bytesMax` bytes (a single larger item makes a run of its own). */
export function chunked<T extends { bytes: number }>(items: readonly T[], limits: ChunkLimits<T>): T[][] {
  const { countMax, bytesMax, isAlike = () => true } = limits;
  const chunks: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const last = chunks.at(-1);
    if (last && last.length < countMax && bytes + item.bytes <= bytesMax && isAlike(last[0]!, item)) {
      last.push(item);
      bytes += item.bytes;
    } else {
      chunks.push([item]);
      bytes = item.bytes;
    }
  }
  return chunks;
}

/** The topic is in no catalog. Publishing or subscribing would create it with an arbitrary number of partitions. */
export class UnknownTopicError extends DataFault {
  override readonly name = 'UnknownTopicError';

  constructor(topic: string) {
    super(`topic ${topic} is not in docs/reference/topics.yaml`);
  }
}

/** Definition of a topic, dead-letter topics included. Throws UnknownTopicError. */
export function definitionOf(
  topic: string,
  catalog: readonly TopicDefinition[],
): Pick<TopicDefinition, 'partitions' | 'retentionMs'> {
  const found = catalog.find(({ name }) => name === topic);
  if (found) return found;
  if (isDeadLetterTopic(topic)) return deadLetterDefaults;
  throw new UnknownTopicError(topic);
}
