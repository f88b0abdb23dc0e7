import type { Pool } from 'pg';
import type { PartitionRecord } from '../delivery/deliver-batch';
import { dlqReasonHeader, headerOf, type RawRecord } from '../record/cloud-event';

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
    await this.writer.query(createTopic, [name, partitions]);
    const created = await this.findTopic(name);
    if (!created) throw new Error(`topic ${name} could not be created`);
    return created;
  }

  private async findTopic(name: string): Promise<LogTopic | undefined> {
    const { rows } = await this.writer.query<LogTopic>('select id, name, partitions from event_topic where name = $1', [name]);
    return rows[0];
  }

  /** Appends in the given order, all or nothing; durable when it resolves. */
  async append(records: readonly LogAppend[]): Promise<void> {
    const column = (value: (record: LogAppend) => unknown) => records.map(value);
    const header = (name: string) => records.map(({ raw }) => headerOf(raw, name) ?? null);
    const { rowCount } = await this.writer.query({
      name: 'event-append',
      text: append,
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
      text: read,
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

const createTopic = `
  with topic as (insert into event_topic (name, partitions) values ($1, $2) on conflict (name) do nothing returning id, partitions)
  insert into event_partition (topic_id, partition)
  select topic.id, n from topic, generate_series(0, topic.partitions - 1) n`;

// `held` locks the counters in one order, so that two publishers cannot deadlock. They stay locked until the commit.
const append = `
  with event as materialized (
    select e.*, row_number() over (partition by e.topic_id, e.partition order by e.ordinal) - 1 as step
    from unnest($1::smallint[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[]) with ordinality
      as e(topic_id, partition, key, ce_id, ce_type, ce_source, ce_time, traceparent, dlq_reason, data, ordinal)
  ), wanted as materialized (
    select topic_id, partition, count(*) as events from event group by topic_id, partition
  ), held as materialized (
    select p.topic_id, p.partition from event_partition p join wanted using (topic_id, partition)
    order by p.topic_id, p.partition for update of p
  ), moved as (
    update event_partition p set next_position = p.next_position + wanted.events
    from held join wanted using (topic_id, partition)
    where p.topic_id = held.topic_id and p.partition = held.partition
    returning p.topic_id, p.partition, p.next_position - wanted.events as first_position
  )
  insert into event_log (topic_id, partition, position, key, ce_id, ce_type, ce_source, ce_time, traceparent, dlq_reason, data, published_at)
  select topic_id, partition, first_position + step, key, ce_id, ce_type, ce_source, ce_time, traceparent, dlq_reason, data, clock_timestamp()
  from event join moved using (topic_id, partition)`;

// Reads the head in event_partition first, so that an idle partition costs no read of the log.
const read = `
  select w.partition, l.position, l.key, l.ce_id, l.ce_type, l.ce_source, l.ce_time, l.traceparent, l.dlq_reason, l.data,
         (extract(epoch from clock_timestamp() - l.published_at) * 1000)::float8 as age_ms
  from unnest($2::smallint[], $3::bigint[]) as w(partition, position)
  join event_partition p on p.topic_id = $1 and p.partition = w.partition and p.next_position > w.position
  cross join lateral (
    select * from event_log where topic_id = $1 and partition = w.partition and position >= w.position order by position limit $4
  ) l
  order by w.partition, l.position`;
