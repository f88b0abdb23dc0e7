import { joinPayloads, scalars } from '@paycode/persistence';
import type { Pool } from 'pg';
import { eventLogSql as sql } from './event-log.sql';
import {
  type LogAppend,
  type LogRecord,
  type LogTopic,
  recordsOf,
  type Segment,
  segmentsOf,
  type StoredSegment,
  type TopicSegments,
} from './segment';

export type { LogAppend, LogRecord, LogTopic } from './segment';

/** Records of a topic from a position on. */
export interface LogSlice {
  /** In order of position; may begin before the position that was asked for. */
  records: LogRecord[];
  /** The slice holds every record of the topic before this position. */
  to: bigint;
  /** The limits cut it off. */
  isCut: boolean;
}

interface ReadSegment extends StoredSegment {
  end_position: string;
}

const readLimits = { segmentsMax: 1_000, bytesMax: 8_388_608 };

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

  /** Appends in the given order of each topic, all or nothing; durable and announced when it resolves. */
  async append(records: readonly LogAppend[]): Promise<void> {
    const topics = segmentsOf(records);
    if (topics.length === 1) return appendTo(this.writer, topics[0]!);
    const client = await this.writer.connect();
    try {
      await client.query('begin');
      // Publishers that lock their topics in one order cannot deadlock.
      for (const topic of topics.toSorted((one, other) => one.topicId - other.topicId)) await appendTo(client, topic);
      await client.query('commit');
      client.release();
    } catch (error) {
      // The transaction ends with its connection.
      client.release(true);
      throw error;
    }
  }

  /** The slice of a topic that holds position `from`, of about `limit` records; undefined when nothing stands there or behind it yet. */
  async read(topicId: number, from: bigint, limit: number): Promise<LogSlice | undefined> {
    const { segmentsMax, bytesMax } = readLimits;
    const values = [topicId, String(from), Math.min(limit, segmentsMax), limit, bytesMax];
    const { rows } = await this.reader.query<ReadSegment>({ name: 'event-read', text: sql.read, values });
    if (rows.length === 0) return undefined;
    const end = BigInt(rows[0]!.end_position);
    const now = performance.now();
    const records = rows.flatMap(row => (row.first_position === null ? [] : recordsOf(row, now)));
    const last = records.at(-1);
    const to = last ? last.offset + 1n : end;
    return { records, to, isCut: to < end };
  }
}

async function appendTo(client: Pick<Pool, 'query'>, { topicId, segments }: TopicSegments): Promise<void> {
  const column = (value: (segment: Segment) => number) => scalars(segments.map(value));
  let end = 0;
  const steps = column(({ records }) => (end += records) - records);
  const { rowCount } = await client.query({
    name: 'event-append',
    text: sql.append,
    values: [
      topicId,
      end,
      steps,
      column(({ records }) => records),
      column(({ bytes }) => bytes),
      segments.map(({ type }) => type),
      segments.map(({ source }) => source),
      segments.map(({ headers }) => headers),
      ...payloadsOf(segments),
    ],
  });
  if (rowCount !== segments.length) throw new Error('events were addressed to a topic that the log does not have');
}

function payloadsOf(segments: readonly Segment[]): unknown[] {
  const { bytes, starts, lengths } = joinPayloads(segments.map(({ payloads }) => payloads));
  return [bytes, starts, lengths];
}
