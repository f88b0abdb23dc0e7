import type { SimProcess } from '../engine/sim-process.ts';
import type { Timeline } from '../engine/timeline.ts';

export interface LogRecord {
  key: string;
  data: unknown;
  publishedAtMs: number;
}

/** One topic: partitions that only grow. */
export class EventLog {
  readonly partitions: LogRecord[][];

  constructor(
    private readonly timeline: Timeline,
    partitionCount: number,
  ) {
    this.partitions = Array.from({ length: partitionCount }, () => []);
  }

  append(partition: number, key: string, data: unknown): void {
    this.partitions[partition % this.partitions.length]!.push({ key, data, publishedAtMs: this.timeline.nowMs });
  }
}

export interface ConsumedBatch {
  partition: number;
  events: { key: string; data: unknown; offset: string }[];
  reject(event: unknown, reason: string): void;
  endAt(offset: number): void;
}

export interface GroupOptions {
  log: EventLog;
  /** Events are delivered only when they are this old. */
  minAgeMs: number;
  isDown: () => boolean;
  /** Between two looks for events. */
  pollMs: () => number;
  /** Of the batches: skipped as if they had been handled. */
  lost: () => number;
  /** Told of an event that the handler parks. */
  parked(reason: string): void;
}

const batchMax = 50;
const retryMs = 500;

/** A consumer group: partitions among live members, offsets that may not get committed, members that learn late that they lost one. */
export class ConsumerGroup {
  private readonly committed: number[];
  private partitionsBy = new Map<string, number[]>();
  private members: SimProcess[] = [];
  /** Lives of processes that left the group. */
  private readonly left = new Set<string>();

  constructor(
    private readonly timeline: Timeline,
    readonly options: GroupOptions,
  ) {
    this.committed = options.log.partitions.map(() => 0);
  }

  /** Partitions that the broker assigns to the process. */
  partitionsOf(process: SimProcess): readonly number[] {
    return this.partitionsBy.get(process.identity) ?? [];
  }

  /** A member that joins: `handle` gets its batches until this life of the process ends. */
  join(process: SimProcess, handle: (batch: ConsumedBatch) => Promise<void>): void {
    if (!this.members.includes(process)) this.members.push(process);
    process.timer(this.timeline.random.between(10, 1_500), () => this.rebalance());
    const positions = new Map<number, number>();
    const busy = new Set<number>();
    const turn = () => {
      const mine = new Set(this.partitionsOf(process));
      for (const partition of positions.keys()) if (!mine.has(partition)) positions.delete(partition);
      for (const partition of mine) if (!busy.has(partition)) void this.consume({ process, partition, positions, busy, handle });
      process.timer(this.options.pollMs(), turn);
    };
    process.timer(0, turn);
  }

  /** A member leaves: its partitions move at once. */
  leave(process: SimProcess): void {
    this.left.add(process.identity);
    this.rebalance();
  }

  /** The broker notices after a while that a member is gone. */
  died(): void {
    this.timeline.after(this.timeline.random.between(2_000, 10_000), () => this.rebalance());
  }

  rebalance(): void {
    const live = this.members.filter(member => member.isAlive && !this.left.has(member.identity));
    if (live.length === 0) return;
    this.partitionsBy = new Map(live.map(({ identity }) => [identity, []]));
    this.options.log.partitions.forEach((_, partition) =>
      this.partitionsBy.get(this.timeline.random.pick(live).identity)!.push(partition),
    );
  }

  private async consume(work: {
    process: SimProcess;
    partition: number;
    positions: Map<number, number>;
    busy: Set<number>;
    handle: (batch: ConsumedBatch) => Promise<void>;
  }): Promise<void> {
    const { process, partition, positions, busy, handle } = work;
    const from = positions.get(partition) ?? this.committed[partition]!;
    const events = this.eventsFrom(partition, from).map((event, at) => ({ ...event, offset: String(from + at) }));
    if (events.length === 0 || this.options.isDown()) return;
    busy.add(partition);
    try {
      const isLost = this.timeline.random.chance(this.options.lost());
      if (isLost) this.timeline.faults.add('event lost', events.length);
      else await handle(this.batchOf(partition, events));
      positions.set(partition, from + events.length);
      // After a lost commit the next owner of the partition gets the batch again.
      if (this.timeline.random.chance(0.1)) this.timeline.faults.add('offset not committed');
      else this.committed[partition] = Math.max(this.committed[partition]!, from + events.length);
      busy.delete(partition);
    } catch {
      // The batch comes again after a back-off, as the transport has it.
      process.timer(retryMs, () => busy.delete(partition));
    }
  }

  private batchOf(partition: number, events: ConsumedBatch['events']): ConsumedBatch {
    const endAt = (offset: number) => this.options.parked(`this group ends at ${offset}, and there is one cell`);
    return { partition, events, reject: (_, reason) => this.options.parked(reason), endAt };
  }

  private eventsFrom(partition: number, from: number): LogRecord[] {
    const newestMs = this.timeline.nowMs - this.options.minAgeMs;
    const events = this.options.log.partitions[partition]!.slice(from, from + batchMax);
    const tooYoung = events.findIndex(event => event.publishedAtMs > newestMs);
    return tooYoung < 0 ? events : events.slice(0, tooYoung);
  }
}
