import { deadLetterDefaults, isDeadLetterTopic, type TopicDefinition } from '@paycode/dto';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import type { Pool } from 'pg';
import type { TransportLog } from '../transport-log';
import { eventLogSql } from './event-log.sql';

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
