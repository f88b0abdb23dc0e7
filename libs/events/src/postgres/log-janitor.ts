import { deadLetterDefaults, isDeadLetterTopic, type TopicDefinition } from '@paycode/dto';
import { PeriodicTask } from '@paycode/timing';
import type { Pool } from 'pg';
import type { TransportLog } from '../transport-log';

export interface LogJanitorOptions {
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
const rowsPerPartition = 1_000;
const chunksPerRound = 200;

/**
 * Keeps the log bounded. It deletes an event when every group has committed it and it is older than `consumedRetentionMs`, or when
 * it is older than its topic's retention, consumed or not (as on Kafka). Deletes from the head of each partition in small chunks.
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
    const { rows } = await this.options.pool.query<{ id: number; name: string }>('select id, name from event_topic');
    let deleted = 0;
    for (const { id, name } of rows) deleted += await this.cleanTopic(id, this.retentionMs(name), signal);
    // Deletes members that crashed and own no partition.
    await this.options.pool.query("delete from event_member where heartbeat_at < clock_timestamp() - interval '1 day'");
    return deleted;
  }

  private async cleanTopic(topicId: number, retentionMs: number, signal?: AbortSignal): Promise<number> {
    const values = [janitorLock, topicId, rowsPerPartition, retentionMs, this.options.consumedRetentionMs];
    let deleted = 0;
    for (let chunk = 0; chunk < chunksPerRound && !signal?.aborted; chunk++) {
      const { rowCount } = await this.options.pool.query({ text: deleteHeads, values });
      if (!rowCount) break;
      deleted += rowCount;
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

// Positions are in order of publication. So this reads only the first event of a partition when it is young, and only the first rows of the
// others.
const deleteHeads = `
  with leader as materialized (
    select pg_try_advisory_xact_lock($1) as is_leader
  ), consumed as materialized (
    select partition, min(position) as position from event_offset where topic_id = $2 group by partition
  ), stale as materialized (
    select p.partition
    from leader
    join event_partition p on leader.is_leader and p.topic_id = $2
    cross join lateral (
      select l.published_at from event_log l where l.topic_id = $2 and l.partition = p.partition order by l.position limit 1
    ) oldest
    where oldest.published_at < clock_timestamp() - least($4::float8, $5::float8) * interval '1 millisecond'
  ), doomed as materialized (
    select head.partition, head.position
    from stale
    left join consumed using (partition)
    cross join lateral (
      select l.partition, l.position, l.published_at from event_log l
      where l.topic_id = $2 and l.partition = stale.partition order by l.position limit $3
    ) head
    where head.published_at < clock_timestamp() - $4::float8 * interval '1 millisecond'
       or (head.position < consumed.position and head.published_at < clock_timestamp() - $5::float8 * interval '1 millisecond')
  )
  delete from event_log l using doomed
  where l.topic_id = $2 and l.partition = doomed.partition and l.position = doomed.position`;
