import { setTimeout as pause } from 'node:timers/promises';
import { dataFaultReason, isolate } from '@paycode/persistence';
import { backoffMs, pauseFor } from '@paycode/service-runtime/timing';
import { counter } from '@paycode/service-runtime/metrics';
import type { DeadLetter, PartitionRecord, Subscription, TransportLog } from '../event-transport';
import { deliverBatch } from './deliver-batch';
import { Wakeup } from './wakeup';

const labels = ['topic', 'group'] as const;

/** An operator must look at any increase: an event could not be processed. */
export const parkedEvents = counter('paycode_events_parked_total', 'Events put into a dead-letter topic.', labels);

export const failedBatches = counter(
  'paycode_events_batch_failures_total',
  'Batches whose handler failed; they come again.',
  labels,
);

export const handledEvents = counter('paycode_events_handled_total', 'Events handled and committed.', labels);

/** For an alert, a series that begins with its first event has not increased: it has to be there before. */
export function bornAtZero(of: { topic: string; group: string }): void {
  for (const metric of [parkedEvents, failedBatches, handledEvents]) metric.inc(of, 0);
}

/** The operations of a transport for a partition that it owns. */
export abstract class PartitionEdge {
  /** Makes dead letters durable; rejects when that fails. */
  abstract park(partition: number, letters: readonly DeadLetter[]): Promise<void>;
  /** Commits the next offset to read. False: the partition belongs to another member now. Rejects when the outcome is unknown. */
  abstract commit(partition: number, nextOffset: bigint): Promise<boolean>;
  /** Called when records have left the buffer. */
  abstract onRoom(partition: number): void;
}

export interface PartitionConsumerOptions {
  subscription: Subscription;
  partition: number;
  /** First offset that is not committed. */
  nextOffset: bigint;
  edge: PartitionEdge;
  isPaused(): boolean;
  log: TransportLog;
}

export const batchMaxDefault = 500;
/** Nobody waits for a commit as long as it is not far behind, so commits share round trips. At most one per partition waits. */
export const commitLimits = { flushMax: 1_024, queueMax: 4_096, spacing: () => pause(100) };
const retryLimits = { firstMs: 100, maxMs: 5_000 };
/** Commit attempts of a consumer that is giving the partition up; without a commit the batch is redelivered elsewhere. */
const lastCommitsMax = 3;
const reasonsLoggedMax = 5;

/**
 * Consumes one owned partition: one batch at a time in offset order, the same batch again after a rejection. Commits follow the handler: one at
 * a time, each of all that is handled by then. The handler waits for them only when more events than a batch holds are handled and not
 * committed, so at most two full batches come again after a crash. Each partition has its own consumer, so that a failing one delays no other.
 */
export class PartitionConsumer {
  private readonly buffer: PartitionRecord[] = [];
  private readonly wakeup = new Wakeup();
  private readonly ending = new AbortController();
  private isFenced = false;
  /** The group takes the offsets from here on, and below `endOffset` if it is set. */
  private startOffset = 0n;
  private endOffset?: bigint;
  private isRangeKnown = true;
  private running?: Promise<void>;
  /** The commit under way; never rejects. */
  private committing?: Promise<void>;
  /** Numbers of records. */
  private offered = 0;
  private handled = 0;
  private committed = 0;
  /** Next offset after the last handled record. */
  private handledOffset: bigint;
  /** Next offset to be handed to `offer`. */
  wantedOffset: bigint;
  committedOffset = 0n;

  constructor(private readonly options: PartitionConsumerOptions) {
    this.wantedOffset = options.nextOffset;
    this.followRange();
    this.committedOffset = this.wantedOffset;
    this.handledOffset = this.wantedOffset;
    bornAtZero(this.labels);
  }

  get partition(): number {
    return this.options.partition;
  }

  get buffered(): number {
    return this.buffer.length;
  }

  /** Records that it was offered and that are not committed. */
  get uncommitted(): number {
    return this.offered - this.committed;
  }

  /** Everything below this offset is handled, though perhaps not committed; undefined while a record waits. */
  get handledTo(): bigint | undefined {
    return this.buffer.length === 0 ? this.wantedOffset : undefined;
  }

  get isLost(): boolean {
    return this.isFenced;
  }

  /** Nothing is left to be fetched for it: the range of the group ends here. */
  get hasEnded(): boolean {
    return this.endOffset !== undefined && this.wantedOffset >= this.endOffset;
  }

  /** All that the range holds is committed, and no event is added to it any more. */
  get isReadToEnd(): boolean {
    return this.isRangeKnown && this.endOffset !== undefined && this.committedOffset >= this.endOffset;
  }

  /** Takes the offsets of the range that the group has now. Whether the log is to be read from another offset on. */
  followRange(): boolean {
    const [wantedBefore, hadEnded] = [this.wantedOffset, this.hasEnded];
    const { subscription } = this.options;
    const range = subscription.rangeOf ? subscription.rangeOf(this.partition) : { from: 0, until: null };
    this.isRangeKnown = range !== undefined;
    const { from, until } = range ?? { from: 0, until: 0 };
    this.startOffset = BigInt(from);
    this.endOffset = until === null ? undefined : BigInt(until);
    if (this.wantedOffset < this.startOffset) this.wantedOffset = this.startOffset;
    this.committedTo(this.startOffset);
    this.dropOthers();
    this.wakeup.wake();
    return !this.hasEnded && (hadEnded || this.wantedOffset !== wantedBefore);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Appends records in offset order. Records below `wantedOffset` were seen already and are dropped, and so are those beyond the range. */
  offer(records: readonly PartitionRecord[]): void {
    for (const record of records) {
      if (record.offset < this.wantedOffset || !this.isMine(record)) continue;
      this.buffer.push(record);
      this.offered++;
      this.wantedOffset = record.offset + 1n;
    }
    this.wakeup.wake();
  }

  /** The log has nothing to offer below `offset`. */
  skipTo(offset: bigint): void {
    if (offset > this.wantedOffset) this.wantedOffset = this.within(offset);
  }

  /** `offset`, or the end of the range if it lies beyond that. */
  within(offset: bigint): bigint {
    return this.endOffset !== undefined && offset > this.endOffset ? this.endOffset : offset;
  }

  /** The group has committed `offset` beside the batches of this partition. */
  committedTo(offset: bigint): void {
    if (offset > this.committedOffset) this.committedOffset = offset;
  }

  wake(): void {
    this.wakeup.wake();
  }

  /** The partition belongs to another member: nothing is committed from now on. */
  fence(): void {
    this.isFenced = true;
    this.end();
  }

  /** Tells the running handler to stop; resolves once it has ended and its result is committed (unless fenced). */
  async stop(): Promise<void> {
    this.end();
    await this.running;
  }

  private end(): void {
    this.ending.abort();
    this.wakeup.wake();
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.isEnding) {
      const batch = this.due();
      if (batch.length === 0) {
        await this.wakeup.wait(this.untilDueMs());
        continue;
      }
      failures = (await this.deliver(batch, failures + 1)) ? 0 : failures + 1;
      if (failures > 0) await pauseFor(backoffMs(failures, retryLimits), this.ending.signal);
    }
    while (this.committing) await this.committing;
  }

  /** The next batch: old enough, in order, bounded. */
  private due(): PartitionRecord[] {
    if (this.options.isPaused()) return [];
    const { minAgeMs = 0 } = this.options.subscription;
    const head = this.buffer.slice(0, this.batchMax);
    if (minAgeMs === 0) return head;
    const bornBefore = performance.now() - minAgeMs;
    const tooYoung = head.findIndex(record => record.publishedAtMs > bornBefore);
    return tooYoung < 0 ? head : head.slice(0, tooYoung);
  }

  private untilDueMs(): number {
    const first = this.buffer[0];
    if (!first || this.options.isPaused()) return Infinity;
    const remaining = first.publishedAtMs + (this.options.subscription.minAgeMs ?? 0) - performance.now();
    return Math.max(1, Math.ceil(remaining));
  }

  private async deliver(batch: PartitionRecord[], attempt: number): Promise<boolean> {
    const { subscription, partition, log } = this.options;
    try {
      const onEnd = (offset: bigint) => (this.endOffset = offset);
      const all = await deliverBatch({ subscription, partition, records: batch, signal: this.ending.signal, onEnd });
      if (this.isFenced) return true;
      await this.park(all.filter(({ record }) => this.isMine(record)));
    } catch (error) {
      if (this.isEnding) return true;
      failedBatches.inc(this.labels);
      log.warn({ ...this.place(), attempt, batch: batch.length, err: error }, 'event batches fail and come again');
      return false;
    } finally {
      // The handler may have said that its events end here.
      this.dropOthers();
    }
    const last = batch.at(-1)!.offset;
    this.handled += batch.filter(record => this.isMine(record)).length;
    const next = this.buffer.findIndex(({ offset }) => offset > last);
    this.buffer.splice(0, next < 0 ? this.buffer.length : next);
    const handledTo = this.within(last + 1n);
    if (handledTo > this.handledOffset) this.handledOffset = handledTo;
    this.commitHandled();
    this.options.edge.onRoom(this.partition);
    while (this.committing && this.handled - this.committed > this.batchMax) await this.committing;
    return true;
  }

  private isMine({ offset }: PartitionRecord): boolean {
    return offset >= this.startOffset && (this.endOffset === undefined || offset < this.endOffset);
  }

  /** Leaves what lies outside of the range, and wants it again from the end on should the range get longer. */
  private dropOthers(): void {
    if (this.startOffset === 0n && this.endOffset === undefined) return;
    const kept = this.buffer.filter(record => this.isMine(record));
    this.offered -= this.buffer.length - kept.length;
    this.buffer.splice(0, this.buffer.length, ...kept);
    this.wantedOffset = this.within(this.wantedOffset);
  }

  private async park(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    await isolate(letters, {
      write: async part => {
        await this.options.edge.park(this.partition, part);
        await this.options.subscription.onParked?.(this.partition, part);
      },
      failed: (letter, error) => this.leave(letter, error),
    });
    parkedEvents.inc(this.labels, letters.length);
    const reasons = [...new Set(letters.map(({ reason }) => reason))].slice(0, reasonsLoggedMax);
    this.options.log.error(
      { ...this.place(), count: letters.length, reason: reasons.join('; ') },
      'events parked as dead letters',
    );
  }

  /**
   * Skips a record that its dead-letter topic refuses too. It stays in the log at its offset until retention deletes it, and the others
   * continue (T-29).
   */
  private leave({ record, reason }: DeadLetter, error: unknown): void {
    const why = `${reason}; not parked: ${dataFaultReason(error)}`;
    const fields = { ...this.place(), reason: `offset ${record.offset}: ${why}` };
    this.options.log.error(fields, 'an event can neither be handled nor parked and was skipped');
  }

  private commitHandled(): void {
    this.committing ??= this.commit(this.handledOffset, this.handled).then(isCommitted => {
      this.committing = undefined;
      if (isCommitted && this.handled > this.committed) this.commitHandled();
    });
  }

  /** Repeats a commit that failed. False: the partition has another owner, or this consumer ends and has tried often enough. */
  private async commit(nextOffset: bigint, handled: number): Promise<boolean> {
    for (let failures = 1; !this.isFenced; failures++) {
      try {
        if (nextOffset > this.committedOffset && !(await this.options.edge.commit(this.partition, nextOffset))) break;
        this.committedTo(nextOffset);
        handledEvents.inc(this.labels, handled - this.committed);
        this.committed = handled;
        return true;
      } catch (error) {
        this.options.log.warn({ ...this.place(), attempt: failures, err: error }, 'offset commit failed');
        if (this.isEnding && failures >= lastCommitsMax) return false;
        await pauseFor(backoffMs(failures, retryLimits), this.ending.signal);
      }
    }
    this.fence();
    return false;
  }

  private get batchMax(): number {
    return this.options.subscription.batchMax ?? batchMaxDefault;
  }

  private get labels() {
    return { topic: this.options.subscription.topic, group: this.options.subscription.group };
  }

  private place() {
    return { ...this.labels, partition: this.partition };
  }
}
