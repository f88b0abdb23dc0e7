import type { Pool } from 'pg';
import type { PartitionRecord } from '../delivery/deliver-batch';
import { dlqReasonHeader, headerOf, type RawRecord } from '../record/cloud-event';
import { eventLogSql as sql } from './event-log.sql';

export interface LogTopic {
  id: number;
  name: string;
  partitions: number;
}

/** A record to append to one partition. */
export interface LogAppend {
  topicId: number;
  partition: number;
  raw: RawRecord;
}

export interface ReadFrom {
  partition: number;
  position: bigint;
}

interface LogRow {
  partition: number;
  position: string;
  key: string;
  ce_id: string;
  ce_type: string;
  ce_source: string;
  ce_time: string;
  traceparent: string | null;
  dlq_reason: string | null;
  data: string;
  age_ms: number;
}

/** Statements on the log itself. */
export class EventLog {
  /** `writer` commits durably; `reader` may commit asynchronously. */
  constructor(
    private readonly writer: Pool,
    private readonly reader: Pool,
  ) {}

  /** Id and partitions of a topic; creates it with `partitions` when it is new. An existing topic keeps its number of partitions. */
  async ensureTopic(name: string, partitions: number): Promise<LogTopic> {
    const found = await this.findTopic(name);
    if (found) return found;
    await this.writer.query(sql.createTopic, [name, partitions]);
    const created = await this.findTopic(name);
    if (!created) throw new Error(`topic ${name} could not be created`);
    return created;
  }

  private async findTopic(name: string): Promise<LogTopic | undefined> {
    const { rows } = await this.writer.query<LogTopic>(sql.findTopic, [name]);
    return rows[0];
  }

  /** Appends in the given order, all or nothing; durable when it resolves. */
  async append(records: readonly LogAppend[]): Promise<void> {
    const column = (value: (record: LogAppend) => unknown) => records.map(value);
    const header = (name: string) => records.map(({ raw }) => headerOf(raw, name) ?? null);
    const { rowCount } = await this.writer.query({
      name: 'event-append',
      text: sql.append,
      values: [
        column(record => record.topicId),
        column(record => record.partition),
        column(record => String(record.raw.key)),
        ...['ce_id', 'ce_type', 'ce_source', 'ce_time', 'traceparent', dlqReasonHeader].map(header),
        column(record => String(record.raw.value)),
      ],
    });
    if (rowCount !== records.length)
      throw new Error(`${records.length - (rowCount ?? 0)} events were addressed to an unknown partition`);
  }

  /** At most `limit` records per partition from the given positions, in order. One round trip for any number of partitions. */
  async read(topicId: number, from: readonly ReadFrom[], limit: number): Promise<Map<number, PartitionRecord[]>> {
    const { rows } = await this.reader.query<LogRow>({
      name: 'event-read',
      text: sql.read,
      values: [topicId, from.map(place => place.partition), from.map(place => String(place.position)), limit],
    });
    const now = performance.now();
    const records = new Map<number, PartitionRecord[]>();
    for (const row of rows) {
      const list = records.get(row.partition) ?? [];
      list.push(toRecord(row, now));
      records.set(row.partition, list);
    }
    return records;
  }
}

function toRecord(row: LogRow, now: number): PartitionRecord {
  const headers: RawRecord['headers'] = {
    ce_id: row.ce_id,
    ce_type: row.ce_type,
    ce_source: row.ce_source,
    ce_time: row.ce_time,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
    ...(row.dlq_reason === null ? {} : { [dlqReasonHeader]: row.dlq_reason }),
  };
  return { offset: BigInt(row.position), publishedAtMs: now - row.age_ms, raw: { key: row.key, value: row.data, headers } };
}
