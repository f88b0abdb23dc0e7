import { chunked, dlqReasonHeader, headerOf, pageLimits } from '../record/cloud-event';
import type { PartitionRecord, RawRecord } from '../event-transport';

export interface LogTopic {
  id: number;
  name: string;
  partitions: number;
}

/** A record to append to one partition. */
export interface LogAppend {
  topic: LogTopic;
  partition: number;
  raw: RawRecord;
}

/** Records of one topic, type and source that follow each other, as a row: what they share once, headers and payloads apart. */
export interface Segment {
  type: string;
  source: string;
  records: number;
  bytes: number;
  headers: string;
  payloads: string;
}

/** Segments to append to one topic, in order. */
export interface TopicSegments {
  topicId: number;
  segments: Segment[];
}

export interface StoredSegment {
  first_position: string;
  ce_type: string;
  ce_source: string;
  headers: string;
  payloads: string;
  age_ms: number;
}

/** A record as a segment holds it, with the partition it belongs to. */
export interface LogRecord extends PartitionRecord {
  partition: number;
}

interface Line {
  type: string;
  source: string;
  bytes: number;
  header: string;
  payload: string;
}

type Header = [partition: number, key: string, id: string, time: string, traceparent?: string | null, dlqReason?: string | null];

/** In the order of the records of each topic. @throws when a record is addressed to a partition that its topic does not have */
export function segmentsOf(records: readonly LogAppend[]): TopicSegments[] {
  const byTopic = [...Map.groupBy(records, ({ topic }) => topic.id)];
  return byTopic.map(([topicId, ofTopic]) => ({
    topicId,
    segments: chunked(ofTopic.map(lineOf), { ...pageLimits, isAlike }).map(segmentOf),
  }));
}

/** In order of position. */
export function recordsOf(row: StoredSegment, nowMs: number): LogRecord[] {
  const payloads = row.payloads.split('\n');
  const first = BigInt(row.first_position);
  const headers = JSON.parse(row.headers) as Header[];
  return headers.map(([partition, key, id, time, traceparent, dlqReason], at) => ({
    partition,
    offset: first + BigInt(at),
    publishedAtMs: nowMs - row.age_ms,
    raw: {
      key,
      value: payloads[at]!,
      headers: {
        ce_id: id,
        ce_type: row.ce_type,
        ce_source: row.ce_source,
        ce_time: time,
        ...(traceparent ? { traceparent } : {}),
        ...(dlqReason ? { [dlqReasonHeader]: dlqReason } : {}),
      },
    },
  }));
}

function isAlike(one: Line, other: Line): boolean {
  return one.type === other.type && one.source === other.source;
}

function lineOf({ topic, partition, raw }: LogAppend): Line {
  if (partition >= topic.partitions)
    throw new Error(`an event was addressed to the unknown partition ${partition} of ${topic.name}`);
  const text = (name: string) => headerOf(raw, name) ?? '';
  const header: (string | number | undefined)[] = [partition, String(raw.key), text('ce_id'), text('ce_time')];
  const [traceparent, dlqReason] = [headerOf(raw, 'traceparent'), headerOf(raw, dlqReasonHeader)];
  if (traceparent !== undefined || dlqReason !== undefined) header.push(traceparent);
  if (dlqReason !== undefined) header.push(dlqReason);
  const json = JSON.stringify(header);
  // A line break cannot be part of a string in JSON, only white space between two of its parts.
  const payload = String(raw.value).replaceAll('\n', ' ');
  const bytes = Buffer.byteLength(json) + Buffer.byteLength(payload) + 2;
  return { type: text('ce_type'), source: text('ce_source'), bytes, header: json, payload };
}

function segmentOf(lines: readonly Line[]): Segment {
  const { type, source } = lines[0]!;
  return {
    type,
    source,
    records: lines.length,
    bytes: lines.reduce((sum, line) => sum + line.bytes, 0),
    headers: `[${lines.map(({ header }) => header).join()}]`,
    payloads: lines.map(({ payload }) => payload).join('\n'),
  };
}
