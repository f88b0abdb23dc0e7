import { pauseFor } from '@paycode/service-runtime/timing';
import type { Batch, Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { PartitionRecord, TransportLog } from '../event-transport';
import type { OwnedPartitions } from '../delivery/owned-partitions';
import type { PartitionConsumer } from '../delivery/partition-consumer';
import type { StartingPoint } from './kafkajs-repairs';

export interface KafkaIntakeOptions {
  topic: string;
  batchMax: number;
  owned: OwnedPartitions;
  /** Aborted when the subscriber stops. */
  signal: AbortSignal;
  log: TransportLog;
}

/** After so many consecutive reads that start after the wanted offset, the records between count as deleted by retention. */
const gapReadsMax = 3;
const strayPauseMs = 50;

/**
 * Puts the records that kafkajs fetched into the buffers of the owned partitions, and pauses partitions whose buffer is full. It
 * "resolves" the fetched position at once, which only moves the next fetch; the partition's consumer commits handled records.
 */
export class KafkaIntake {
  private readonly watermarks = new Map<number, bigint>();
  private readonly gapReads = new Map<number, number>();
  private readonly paused = new Set<number>();

  constructor(private readonly options: KafkaIntakeOptions) {}

  /** A new assignment, which `owned` has. kafkajs remembers pauses across assignments: all are lifted. */
  reset(assigned: readonly StartingPoint[], consumer: Consumer): void {
    this.watermarks.clear();
    this.gapReads.clear();
    this.paused.clear();
    consumer.resume([{ topic: this.options.topic, partitions: assigned.map(({ partition }) => partition) }]);
    for (const { partition, nextOffset } of assigned) {
      const owner = this.options.owned.get(partition)!;
      if (owner.hasEnded) this.pause(partition, consumer);
      else if (owner.wantedOffset !== nextOffset) consumer.seek(this.at(partition, owner.wantedOffset));
    }
  }

  /** The ranges of the group have changed: goes on where a partition had stopped, and from where a new range begins. */
  followRanges(consumer: Consumer): void {
    for (const { partition, wantedOffset } of this.options.owned.followRanges()) {
      consumer.seek(this.at(partition, wantedOffset));
      this.onRoom(partition, consumer);
    }
  }

  async take({ batch, resolveOffset }: EachBatchPayload, consumer: Consumer): Promise<void> {
    const { partition } = batch;
    const owner = this.options.owned.get(partition);
    // These records belong to an assignment that has ended. The pause stops kafkajs from fetching them again in a tight
    // loop.
    if (!owner || owner.isLost) return pauseFor(strayPauseMs, this.options.signal);
    if (owner.hasEnded) return this.pause(partition, consumer);
    this.watermarks.set(partition, BigInt(batch.highWatermark));
    if (!this.isContiguous(batch, owner)) return consumer.seek(this.at(partition, owner.wantedOffset));
    owner.offer(batch.messages.map(toRecord));
    owner.skipTo(BigInt(batch.lastOffset()) + 1n);
    resolveOffset(batch.lastOffset());
    if (owner.buffered > this.options.batchMax) this.pause(partition, consumer);
  }

  /** Records have left the buffer of a partition. */
  onRoom(partition: number, consumer: Consumer): void {
    const owner = this.options.owned.get(partition);
    if (!this.paused.has(partition) || !owner || owner.hasEnded || owner.buffered > this.options.batchMax / 2) return;
    this.paused.delete(partition);
    consumer.resume([{ topic: this.options.topic, partitions: [partition] }]);
  }

  /** Number of published but uncommitted events, according to the last fetches. */
  lag(): number {
    return this.options.owned.all().reduce((sum, owner) => {
      const { partition, committedOffset } = owner;
      const ahead = owner.within(this.watermarks.get(partition) ?? committedOffset) - committedOffset;
      return sum + Math.max(0, Number(ahead));
    }, 0);
  }

  private pause(partition: number, consumer: Consumer): void {
    this.paused.add(partition);
    consumer.pause([{ topic: this.options.topic, partitions: [partition] }]);
  }

  /**
   * False when records between the wanted offset and the fetched ones would be skipped, because a fetch of an older assignment may
   * arrive late. If the gap stays, retention deleted the records before this group read them.
   */
  private isContiguous(batch: Batch, owner: PartitionConsumer): boolean {
    const { partition } = batch;
    const fetchedOffset = BigInt((batch as Batch & { fetchedOffset: string }).fetchedOffset);
    if (fetchedOffset <= owner.wantedOffset) {
      this.gapReads.delete(partition);
      return true;
    }
    const reads = (this.gapReads.get(partition) ?? 0) + 1;
    this.gapReads.set(partition, reads);
    if (reads < gapReadsMax) return false;
    const count = Number(fetchedOffset - owner.wantedOffset);
    this.options.log.error(
      { event: 'events-lost', topic: this.options.topic, partition, count },
      'events expired before they were read',
    );
    this.gapReads.delete(partition);
    return true;
  }

  private at(partition: number, offset: bigint) {
    return { topic: this.options.topic, partition, offset: String(offset) };
  }
}

function toRecord({ key, value, headers, offset, timestamp }: KafkaMessage): PartitionRecord {
  const ageMs = Math.max(0, Date.now() - Number(timestamp));
  return { offset: BigInt(offset), publishedAtMs: performance.now() - ageMs, raw: { key, value, headers } };
}
