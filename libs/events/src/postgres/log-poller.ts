import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@paycode/timing';
import type { OwnedPartitions } from '../delivery/owned-partitions';
import { batchMaxDefault, type PartitionConsumer } from '../delivery/partition-consumer';
import { Wakeup } from '../delivery/wakeup';
import type { Subscription } from '../event-transport';
import type { TransportLog } from '../transport-log';
import type { EventLog } from './event-log';

export interface LogPollerOptions {
  eventLog: EventLog;
  topicId: number;
  subscription: Subscription;
  owned: OwnedPartitions;
  /** How long the poller waits for a notification before it reads without one, in milliseconds. */
  pollMs(): number;
  log: TransportLog;
}

/** Pause after a read that found everything. A read costs as much as many events, so the next one waits for several events. */
const gatherMsDefault = 3;
/** Interval for a subscription with a delay of minutes, such as the audit, which needs no notifications. */
const behindPollMs = 1_000;
const failureLimits = { firstMs: 100, maxMs: 5_000 };
/** Rows in all buffers of one subscriber together. */
const bufferedMax = 8_000;

/** Reads the log into the buffers of the owned partitions: one statement for all of them, again at once while it finds rows. */
export class LogPoller {
  private readonly wakeup = new Wakeup();
  /** Partitions whose last read was cut off by the limit. */
  private readonly behind = new Set<number>();
  /** Partitions that the last read left out, because their buffers held enough. */
  private leftOut: ReadonlySet<number> = new Set();
  private isStopped = false;
  private failures = 0;
  lastTurnAt = performance.now();

  constructor(private readonly options: LogPollerOptions) {}

  async run(): Promise<void> {
    while (!this.isStopped) {
      this.lastTurnAt = performance.now();
      const found = await this.pass();
      if (this.isStopped) return;
      if (found === 0) await this.wakeup.wait(this.failures > 0 ? backoffMs(this.failures, failureLimits) : this.idleMs);
      else if (this.behind.size === 0) await pause(this.options.subscription.gatherMs ?? gatherMsDefault);
    }
  }

  stop(): void {
    this.isStopped = true;
    this.wakeup.wake();
  }

  /** An event was published on the topic, or one may have been. */
  onPublished(): void {
    if (!this.options.subscription.minAgeMs) this.wakeup.wake();
  }

  onAssigned(): void {
    this.wakeup.wake();
  }

  /** Records have left the buffer of a partition. */
  onRoom(partition: number): void {
    if (this.behind.has(partition) || this.leftOut.has(partition)) this.wakeup.wake();
  }

  private get idleMs(): number {
    return this.options.subscription.minAgeMs ? behindPollMs : this.options.pollMs();
  }

  private async pass(): Promise<number> {
    try {
      const found = await this.poll();
      this.failures = 0;
      return found;
    } catch (error) {
      this.failures++;
      const { topic, group } = this.options.subscription;
      this.options.log.warn({ topic, group, attempt: this.failures, err: error }, 'event log cannot be read');
      return 0;
    }
  }

  private async poll(): Promise<number> {
    const { wanting, limit } = this.choose();
    if (wanting.length === 0) return 0;
    const from = wanting.map(({ partition, wantedOffset }) => ({ partition, position: wantedOffset }));
    const records = await this.options.eventLog.read(this.options.topicId, from, limit);
    for (const consumer of wanting) {
      const found = records.get(consumer.partition) ?? [];
      if (found.length === limit) this.behind.add(consumer.partition);
      else this.behind.delete(consumer.partition);
      if (found.length > 0) consumer.offer(found);
    }
    return records.size;
  }

  /** The partitions to read now, and the most rows of each. */
  private choose(): { wanting: PartitionConsumer[]; limit: number } {
    const { owned, subscription } = this.options;
    const batchMax = subscription.batchMax ?? batchMaxDefault;
    const consumers = owned.all();
    const room = bufferedMax - consumers.reduce((sum, consumer) => sum + consumer.buffered, 0);
    const wanting = room > 0 ? consumers.filter(({ buffered, isLost }) => buffered <= batchMax / 2 && !isLost) : [];
    this.leftOut = new Set(consumers.filter(consumer => !wanting.includes(consumer)).map(({ partition }) => partition));
    return { wanting, limit: Math.max(1, Math.min(batchMax, Math.floor(room / wanting.length))) };
  }
}
