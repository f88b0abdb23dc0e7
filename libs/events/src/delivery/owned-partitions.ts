import { PartitionConsumer, type PartitionConsumerOptions } from './partition-consumer';

type AssignedPartition = Pick<PartitionConsumerOptions, 'partition' | 'nextOffset'>;

interface Leaving {
  left: Promise<void>;
  consumer: PartitionConsumer;
}

/** The partitions a member owns now, and those it is giving up while their last batch ends. */
export class OwnedPartitions {
  private readonly consumers = new Map<number, PartitionConsumer>();
  private readonly leaving = new Map<number, Leaving>();

  constructor(private readonly options: Omit<PartitionConsumerOptions, keyof AssignedPartition>) {}

  numbers(): number[] {
    return [...this.consumers.keys()].sort((a, b) => a - b);
  }

  all(): PartitionConsumer[] {
    return [...this.consumers.values()];
  }

  /** Those for which the log is read. */
  readers(): PartitionConsumer[] {
    return this.all().filter(({ isLost, hasEnded }) => !isLost && !hasEnded);
  }

  /** Answers those for which the log is to be read from another offset on. */
  followRanges(): PartitionConsumer[] {
    return this.all().filter(consumer => consumer.followRange());
  }

  get(partition: number): PartitionConsumer | undefined {
    return this.consumers.get(partition);
  }

  isLeaving(partition: number): boolean {
    return this.leaving.has(partition);
  }

  wake(): void {
    for (const consumer of this.consumers.values()) consumer.wake();
  }

  /**
   * Starts consuming. A partition that returns while its former batch still runs waits for that batch, so that only one handler runs at a time.
   */
  take(assigned: readonly AssignedPartition[]): void {
    if (assigned.length === 0) return;
    this.options.subscription.onAssigned?.(assigned.map(({ partition }) => partition));
    for (const one of assigned) {
      const consumer = new PartitionConsumer({ ...this.options, ...one });
      this.consumers.set(one.partition, consumer);
      void (this.leaving.get(one.partition)?.left ?? Promise.resolve()).then(() => consumer.start());
    }
  }

  /** Ends the running batches, commits them and tells the subscription; after that another member may take the partitions. */
  giveUp(partitions: readonly number[]): Promise<void> {
    const consumers = partitions.flatMap(partition => this.consumers.get(partition) ?? []);
    if (consumers.length === 0) return Promise.resolve();
    const numbers = consumers.map(({ partition }) => partition);
    const left = this.leave(consumers, numbers).finally(() => {
      for (const partition of numbers) if (this.leaving.get(partition)?.left === left) this.leaving.delete(partition);
    });
    for (const consumer of consumers) {
      this.consumers.delete(consumer.partition);
      this.leaving.set(consumer.partition, { left, consumer });
    }
    return left;
  }

  /** Another member owns the partitions already: nothing more is committed. */
  lose(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) this.consumers.get(partition)?.fence();
    return this.giveUp(partitions);
  }

  /** Called after the time limit: batches that are still ending commit nothing any more. */
  fenceLeaving(): void {
    for (const { consumer } of this.leaving.values()) consumer.fence();
  }

  /** Resolves when every partition being given up is free. */
  async settled(): Promise<void> {
    await Promise.all([...this.leaving.values()].map(({ left }) => left));
  }

  private async leave(consumers: readonly PartitionConsumer[], numbers: number[]): Promise<void> {
    const { subscription, log } = this.options;
    await Promise.all(consumers.map(consumer => consumer.stop()));
    try {
      await subscription.onRevoked?.(numbers);
    } catch (error) {
      log.error({ topic: subscription.topic, group: subscription.group, partitions: numbers, err: error }, 'onRevoked failed');
    }
  }
}
