import { deadLetterDefaults, isDeadLetterTopic, type TopicDefinition } from '@paycode/dto';
import { joinedPayload, joinPayloads, scalars } from '@paycode/persistence';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import type { Pool } from 'pg';
import type { TransportLog } from '../event-transport';
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

/**
 * Statements of the log itself. An append announces itself in its transaction: PostgreSQL lets one announcing transaction commit at a time,
 * in the whole server. Publishers are few, and to announce it by a second statement would cost half of the append again.
 */
const eventLogSql = {
  topics: 'select id, name from event_topic',
  findTopic: 'select id, name, partitions from event_topic where name = $1',
  createTopic: 'insert into event_topic (name, partitions) values ($1, $2) on conflict (name) do nothing',

  // The segments of one topic, which stays locked until the commit; `step`: records of the segments before.
  append: `
  with moved as (
    update event_topic set next_position = next_position + $2::int where id = $1::smallint
    returning id as topic_id, next_position - $2::int as first_position
  )
  insert into event_segment (topic_id, first_position, records, bytes, published_at, ce_type, ce_source, headers, payloads)
  select topic_id, first_position + step, records, bytes, clock_timestamp(), ce_type, ce_source, headers, ${joinedPayload('$9', 'start', 'length')}
  from moved cross join unnest($3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $10::int[], $11::int[])
    as segment(step, records, bytes, ce_type, ce_source, headers, start, length)
  returning pg_notify('paycode_events_' || topic_id, '')`,

  // Segments from the one that holds position $2 on, at most $3, with at most $4 records or $5 bytes before the last. No row: there is
  // nothing from $2 on. A row without a segment: what there was is deleted. Positions end where this snapshot says.
  read: `
  select t.next_position as end_position, s.first_position, s.ce_type, s.ce_source, s.headers, s.payloads,
         (extract(epoch from clock_timestamp() - s.published_at) * 1000)::float8 as age_ms
  from event_topic t left join lateral (
    select * from (
      select l.*, sum(l.records) over before_it as records_before, sum(l.bytes) over before_it as bytes_before from (
        select * from event_segment where topic_id = $1 and first_position >= coalesce(
          (select first_position from event_segment where topic_id = $1 and first_position <= $2 order by first_position desc limit 1), $2)
        order by first_position limit $3
      ) l window before_it as (order by l.first_position rows between unbounded preceding and 1 preceding)
    ) sized
    where sized.records_before is null or (sized.records_before < $4 and sized.bytes_before < $5)
  ) s on true
  where t.id = $1 and t.next_position > $2
  order by s.first_position`,

  positions: 'select positions::float8[] as positions from event_group where topic_id = $1 and group_name = $2',
  end: 'select next_position::float8 as "end" from event_topic where id = $1',

  removeDeadMembers: "delete from event_member where heartbeat_at < statement_timestamp() - interval '1 day'",

  // Positions are in order of publication. So this reads only the first segment of a topic when it is young, and only the first rows of the
  // others. The groups of cells share a partition: those whose range is read to its end are passed over, and the next range begins at the
  // last end, whoever gets it. $3: segments.
  deleteHeads: `
  with leader as materialized (
    select pg_try_advisory_xact_lock($1) as is_leader
  ), consumed as materialized (
    select min(position) as position from (
      select coalesce(min(p.position) filter (where p.ended is not true), max(p.position)) as position
      from event_group g cross join lateral unnest(g.positions, g.ended) with ordinality as p(position, ended, partition)
      where g.topic_id = $2 group by split_part(g.group_name, '@', 1), p.partition
    ) readers
  ), stale as materialized (
    select 1 from leader cross join lateral (
      select published_at from event_segment where leader.is_leader and topic_id = $2 order by first_position limit 1
    ) oldest
    where oldest.published_at < statement_timestamp() - least($4::float8, $5::float8) * interval '1 millisecond'
  ), doomed as materialized (
    select head.first_position
    from stale cross join consumed cross join lateral (
      select first_position, records, published_at from event_segment where topic_id = $2 order by first_position limit $3
    ) head
    where head.published_at < statement_timestamp() - $4::float8 * interval '1 millisecond'
       or (head.first_position + head.records <= consumed.position
           and head.published_at < statement_timestamp() - $5::float8 * interval '1 millisecond')
  ), deleted as (
    delete from event_segment s using doomed
    where s.topic_id = $2 and s.first_position = doomed.first_position
    returning s.records
  )
  select coalesce(sum(records), 0)::int as events from deleted`,
} as const;

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
    await this.writer.query(eventLogSql.createTopic, [name, partitions]);
    const created = await this.findTopic(name);
    if (!created) throw new Error(`topic ${name} could not be created`);
    return created;
  }

  private async findTopic(name: string): Promise<LogTopic | undefined> {
    const { rows } = await this.writer.query<LogTopic>(eventLogSql.findTopic, [name]);
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

  /** By partition, the next position that the group has to read; empty: there is no such group yet. */
  async positionsOf(topicId: number, group: string): Promise<number[]> {
    const { rows } = await this.reader.query<{ positions: number[] }>(eventLogSql.positions, [topicId, group]);
    return rows[0]?.positions ?? [];
  }

  /** Position of the topic's next record: those of records whose publisher has not committed yet are not below it. */
  async endOf(topicId: number): Promise<number> {
    return (await this.reader.query<{ end: number }>(eventLogSql.end, [topicId])).rows[0]!.end;
  }

  /** The slice of a topic that holds position `from`, of about `limit` records; undefined when nothing stands there or behind it yet. */
  async read(topicId: number, from: bigint, limit: number): Promise<LogSlice | undefined> {
    const { segmentsMax, bytesMax } = readLimits;
    const values = [topicId, String(from), Math.min(limit, segmentsMax), limit, bytesMax];
    const { rows } = await this.reader.query<ReadSegment>({ name: 'event-read', text: eventLogSql.read, values });
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
  const { bytes, starts, lengths } = joinPayloads(segments.map(({ payloads }) => payloads));
  let end = 0;
  const steps = column(({ records }) => (end += records) - records);
  const { rowCount } = await client.query({
    name: 'event-append',
    text: eventLogSql.append,
    values: [
      topicId,
      end,
      steps,
      column(({ records }) => records),
      column(segment => segment.bytes),
      segments.map(({ type }) => type),
      segments.map(({ source }) => source),
      segments.map(({ headers }) => headers),
      ...[bytes, starts, lengths],
    ],
  });
  if (rowCount !== segments.length) throw new Error('events were addressed to a topic that the log does not have');
}

interface LogJanitorOptions {
  pool: Pool;
  topics: readonly TopicDefinition[];
  /** How long an event is kept after every group has consumed it. */
  consumedRetentionMs: number;
  /** Pause between two rounds. */
  everyMs: number;
  log: TransportLog;
}

/** Advisory lock that lets one transport clean while the others skip the round. */
const janitorLock = 7_240_927;
const segmentsPerChunk = 1_000;
const chunksPerRound = 200;

/**
 * Keeps the log bounded. It deletes a segment when every group has committed its events and it is older than `consumedRetentionMs`, or
 * when it is older than its topic's retention, consumed or not (as on Kafka). Deletes from the head of each topic in small chunks.
 */
export class LogJanitor {
  private readonly task: PeriodicTask;

  constructor(private readonly options: LogJanitorOptions) {
    const { everyMs, log } = options;
    const failed = (error: unknown) => log.warn({ err: error }, 'event log could not be cleaned');
    this.task = new PeriodicTask(async signal => void (await this.clean(signal)), { everyMs, firstAfterMs: everyMs, failed });
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** One round; answers the number of events deleted. */
  async clean(signal?: AbortSignal): Promise<number> {
    const { rows } = await this.options.pool.query<{ id: number; name: string }>(eventLogSql.topics);
    let deleted = 0;
    for (const { id, name } of rows) deleted += await this.cleanTopic(id, this.retentionMs(name), signal);
    // Deletes members that crashed and own no partition.
    await this.options.pool.query(eventLogSql.removeDeadMembers);
    return deleted;
  }

  private async cleanTopic(topicId: number, retentionMs: number, signal?: AbortSignal): Promise<number> {
    const values = [janitorLock, topicId, segmentsPerChunk, retentionMs, this.options.consumedRetentionMs];
    let deleted = 0;
    for (let chunk = 0; chunk < chunksPerRound && !signal?.aborted; chunk++) {
      const { rows } = await this.options.pool.query<{ events: number }>({ text: eventLogSql.deleteHeads, values });
      const { events } = rows[0]!;
      if (events === 0) break;
      deleted += events;
    }
    return deleted;
  }

  private retentionMs(topic: string): number {
    const known = this.options.topics.find(({ name }) => name === topic)?.retentionMs;
    if (known !== undefined) return known;
    // A topic of a newer or older release gets the longest retention of all.
    const longest = Math.max(deadLetterDefaults.retentionMs, ...this.options.topics.map(({ retentionMs }) => retentionMs));
    return isDeadLetterTopic(topic) ? deadLetterDefaults.retentionMs : longest;
  }
}
