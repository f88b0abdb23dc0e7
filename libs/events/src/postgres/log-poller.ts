import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '@paycode/service-runtime/timing';
import type { OwnedPartitions } from '../delivery/owned-partitions';
import { batchMaxDefault, type PartitionConsumer } from '../delivery/partition-consumer';
import { Wakeup } from '../delivery/wakeup';
import type { Subscription, TransportLog } from '../event-transport';
import type { EventLog, LogSlice } from './event-log';
import type { LogRecord } from './segment';

export interface LogPollerOptions {
  eventLog: EventLog;
  topicId: number;
  subscription: Subscription;
  owned: OwnedPartitions;
  /** How long the poller waits for a notification before it reads without one, in milliseconds. */
  pollMs(): number;
  log: TransportLog;
}

/**
 * Pause after a read that found several records and left none. A read costs as much as many events, so the next one waits for several events.
 */
const gatherMsDefault = 8;
/** Longest pause of a subscription with a delay, such as the audit's of minutes, which needs no notifications. */
const behindPollMsMax = 5_000;
const failureLimits = { firstMs: 100, maxMs: 5_000 };
/** Records in all buffers of one subscriber together. */
const bufferedMax = 9_000;
/** Records of one read. It waits until there is room for some, so that buffers that are always full are not filled by twos and threes. */
const readLimits = { min: 1_000, max: 2_000 };

/**
 * Reads the segments of a topic once and hands their records to the owned partitions; again at once while it finds some. A partition
 * whose buffer is full declines its records and stays behind the others, which go on. It is read for apart as soon as it has room.
 */
export class LogPoller {
  private readonly wakeup = new Wakeup();
  /** Partitions that a read left out or cut off, because their buffers held enough. */
  private leftOut: ReadonlySet<number> = new Set();
  /** The last read was cut off. */
  private isBehind = false;
  /** Records that the last pass found. */
  private found = 0;
  private isStopped = false;
  private failures = 0;
  lastTurnAt = performance.now();

  constructor(private readonly options: LogPollerOptions) {}

  async run(): Promise<void> {
    while (!this.isStopped) {
      this.lastTurnAt = performance.now();
      const hasFound = await this.pass();
      if (this.isStopped) return;
      if (hasFound && this.isBehind) continue;
      if (hasFound) await this.gather();
      // A record that is published while this pass reads is announced after its commit. So a pass that left nothing out has read all others.
      if (!hasFound || this.leftOut.size === 0) await this.wakeup.wait(this.untilNextMs);
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
    if (this.isBehind || this.leftOut.has(partition)) this.wakeup.wake();
  }

  private async gather(): Promise<void> {
    const { gatherMs } = this.options.subscription;
    if (gatherMs !== undefined || this.found > 1) await pause(gatherMs ?? gatherMsDefault);
  }

  private get untilNextMs(): number {
    return this.failures > 0 ? backoffMs(this.failures, failureLimits) : this.idleMs;
  }

  private get idleMs(): number {
    const { minAgeMs } = this.options.subscription;
    return minAgeMs ? Math.min(behindPollMsMax, minAgeMs) : this.options.pollMs();
  }

  private get batchMax(): number {
    return this.options.subscription.batchMax ?? batchMaxDefault;
  }

  private async pass(): Promise<boolean> {
    try {
      const hasFound = await this.poll();
      this.failures = 0;
      return hasFound;
    } catch (error) {
      this.failures++;
      const { topic, group } = this.options.subscription;
      this.options.log.warn({ topic, group, attempt: this.failures, err: error }, 'event log cannot be read');
      return false;
    }
  }

  private async poll(): Promise<boolean> {
    this.isBehind = false;
    this.found = 0;
    const head = this.consumers().reduce((furthest, { wantedOffset }) => (wantedOffset > furthest ? wantedOffset : furthest), 0n);
    const isFound = [await this.readBehind(head), await this.readOn(head)].some(Boolean);
    this.leftOut = new Set(
      this.consumers().flatMap(consumer => (this.wants(consumer) && consumer.wantedOffset >= head ? [] : consumer.partition)),
    );
    return isFound;
  }

  /** For partitions that declined records when their buffers were full, or came later: up to where the others are. */
  private async readBehind(head: bigint): Promise<boolean> {
    const behind = this.consumers().filter(consumer => consumer.wantedOffset < head && this.wants(consumer));
    const from = behind.reduce((least, { wantedOffset }) => (wantedOffset < least ? wantedOffset : least), head);
    return from < head && (await this.read(from, head));
  }

  private async readOn(head: bigint): Promise<boolean> {
    const isWanted = this.consumers().some(consumer => consumer.wantedOffset >= head && this.wants(consumer));
    return isWanted && (await this.read(head));
  }

  private async read(from: bigint, before?: bigint): Promise<boolean> {
    const room = bufferedMax - this.consumers().reduce((sum, { buffered }) => sum + buffered, 0);
    if (room < readLimits.min) this.isBehind = true;
    if (room < readLimits.min) return false;
    const { eventLog, topicId } = this.options;
    const slice = await eventLog.read(topicId, from, Math.min(room, readLimits.max));
    if (!slice) return false;
    const isLast = before !== undefined && slice.to >= before;
    this.isBehind ||= slice.isCut && !isLast;
    this.found += slice.records.length;
    this.handOut(from, isLast ? { ...slice, to: before } : slice);
    return true;
  }

  /** A partition that is behind `from` takes nothing: the slice does not hold what comes before. */
  private handOut(from: bigint, { records, to }: LogSlice): void {
    const byPartition = Map.groupBy(records, ({ partition }) => partition);
    for (const consumer of this.consumers()) {
      if (consumer.wantedOffset < from || consumer.wantedOffset >= to) continue;
      const found = (byPartition.get(consumer.partition) ?? []).filter(
        ({ offset }) => offset >= consumer.wantedOffset && offset < to,
      );
      this.offer(consumer, found, to);
    }
  }

  private offer(consumer: PartitionConsumer, found: readonly LogRecord[], to: bigint): void {
    const room = Math.max(0, Math.floor(this.batchMax * 1.5) - consumer.buffered);
    const taken = found.slice(0, room);
    if (taken.length > 0) consumer.offer(taken);
    consumer.skipTo(found[room]?.offset ?? to);
  }

  private wants({ buffered }: PartitionConsumer): boolean {
    return buffered <= this.batchMax / 2;
  }

  private consumers(): PartitionConsumer[] {
    return this.options.owned.readers();
  }
}
