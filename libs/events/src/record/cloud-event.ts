import type { EventToPublish } from '../event-transport';
import type { RawRecord } from './raw-record';

export type { RawRecord } from './raw-record';

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
