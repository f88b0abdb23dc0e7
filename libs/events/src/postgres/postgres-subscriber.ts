import { FlushQueue } from '@paycode/persistence';
import type { DeadLetter, Subscriber, SubscriberProgress } from '../event-transport';
import { OwnedPartitions } from '../delivery/owned-partitions';
import { commitLimits, type PartitionEdge } from '../delivery/partition-consumer';
import { Wakeup } from '../delivery/wakeup';
import type { GroupMembership, OffsetCommit, Standing } from './group-membership';
import { LogPoller, type LogPollerOptions } from './log-poller';

export interface PostgresSubscriberOptions extends Omit<LogPollerOptions, 'owned'> {
  membership: GroupMembership;
  heartbeatMs: number;
  leaseMs: number;
  /** Makes dead letters durable. */
  park(letters: readonly DeadLetter[]): Promise<void>;
  onStopped(subscriber: PostgresSubscriber): void;
}

/** One member of a group: sends heartbeats, keeps its share of the partitions, and feeds them from the log. */
export class PostgresSubscriber implements Subscriber, PartitionEdge {
  private readonly owned: OwnedPartitions;
  private readonly poller: LogPoller;
  private readonly commits: FlushQueue<OffsetCommit, boolean>;
  private readonly wakeup = new Wakeup();
  private readonly epochs = new Map<number, number>();
  /** Of the owned partitions, as the group's row has it. */
  private readonly ended = new Map<number, boolean>();
  private loops: Promise<unknown> = Promise.resolve();
  private stopped?: Promise<void>;
  private isPaused = false;
  /** Position of the topic's next record at the last heartbeat. */
  private topicEnd?: bigint;
  private heartbeatAt = performance.now();
  private lastTurnAt = performance.now();

  constructor(private readonly options: PostgresSubscriberOptions) {
    const { subscription, log } = options;
    this.owned = new OwnedPartitions({ subscription, edge: this, isPaused: () => this.isPaused, log });
    this.poller = new LogPoller({ ...options, owned: this.owned });
    this.commits = new FlushQueue(items => this.write(items), commitLimits);
  }

  /** Joins the group and takes what is free; resolves when the member is known to the others. */
  async start(): Promise<void> {
    await this.options.membership.join();
    await this.keepShare();
    this.loops = Promise.all([this.poller.run(), this.heartbeatLoop()]);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.owned.wake();
  }

  progress(): SubscriberProgress {
    const lastTurnAt = Math.min(this.poller.lastTurnAt, this.lastTurnAt);
    return { sinceLastTurnMs: performance.now() - lastTurnAt, assignedPartitions: this.owned.numbers(), lag: this.lag() };
  }

  followRanges(): void {
    this.owned.followRanges();
    this.poller.onAssigned();
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  onPublished(): void {
    this.poller.onPublished();
  }

  onGroupChanged(): void {
    this.wakeup.wake();
  }

  park(_partition: number, letters: readonly DeadLetter[]): Promise<void> {
    return this.options.park(letters);
  }

  async commit(partition: number, nextPosition: bigint): Promise<boolean> {
    const epoch = this.epochs.get(partition);
    return epoch !== undefined && (await this.commits.runOne({ partition, epoch, nextPosition }));
  }

  /**
   * Commits of several partitions at once, in one row. With them go the partitions in which nothing waits: retention and a restart need to
   * know that nothing before is wanted.
   */
  private async write(items: readonly OffsetCommit[]): Promise<boolean[]> {
    const moves = this.moves();
    const taken = await this.options.membership.commit([...items, ...moves]);
    for (const [at, { partition, nextPosition }] of moves.entries())
      if (taken[items.length + at]) this.owned.get(partition)?.committedTo(nextPosition);
    return taken.slice(0, items.length);
  }

  /** Positions of the partitions that have handled all that was read, where they are not committed yet. */
  private moves(): OffsetCommit[] {
    return this.owned.all().flatMap(({ partition, handledTo, committedOffset, isLost }) => {
      const epoch = this.epochs.get(partition);
      if (isLost || epoch === undefined || handledTo === undefined || handledTo <= committedOffset) return [];
      return { partition, epoch, nextPosition: handledTo };
    });
  }

  private async tellEnds(): Promise<void> {
    const changed = this.owned
      .all()
      .filter(({ partition, isLost, isReadToEnd }) => !isLost && this.ended.get(partition) !== isReadToEnd);
    if (changed.length === 0) return;
    const told = new Map(changed.map(({ partition, isReadToEnd }) => [partition, isReadToEnd]));
    await this.options.membership.end(told);
    for (const [partition, isReadToEnd] of told) this.ended.set(partition, isReadToEnd);
  }

  /**
   * Events that were read and are not committed, and those that wait to be read: of the whole topic, so this member's share of them is
   * taken for its partitions' part.
   */
  private lag(): number | null {
    const end = this.topicEnd;
    if (end === undefined) return null;
    const unread = this.owned.readers().reduce((sum, { wantedOffset }) => sum + Math.max(0, Number(end - wantedOffset)), 0);
    const uncommitted = this.owned.all().reduce((sum, consumer) => sum + consumer.uncommitted, 0);
    return uncommitted + Math.ceil(unread / this.options.membership.partitions);
  }

  onRoom(partition: number): void {
    this.poller.onRoom(partition);
  }

  private async end(): Promise<void> {
    const { membership, log } = this.options;
    this.poller.stop();
    this.wakeup.wake();
    await this.loops;
    await this.owned.giveUp(this.owned.numbers());
    await this.owned.settled();
    try {
      await membership.leave();
    } catch (error) {
      // The others take over anyway, when the lease runs out or the session ends and releases the lock.
      log.warn({ ...this.place(), err: error }, 'the consumer group could not be left cleanly');
    }
    this.options.onStopped(this);
  }

  private async heartbeatLoop(): Promise<void> {
    while (!this.stopped) {
      await this.wakeup.wait(this.options.heartbeatMs);
      if (this.stopped) return;
      // This counts as progress even while the database is down, because restarting this process would not help.
      this.lastTurnAt = performance.now();
      try {
        await this.keepShare();
        if (this.moves().length > 0) await this.write([]);
        if (this.options.subscription.rangeOf) await this.tellEnds();
      } catch (error) {
        this.options.log.warn({ ...this.place(), err: error }, 'group heartbeat failed');
        // A server that crashed may have lost it: it is told again.
        this.ended.clear();
        this.dropExpired();
      }
    }
  }

  private async keepShare(): Promise<void> {
    const standing = await this.options.membership.heartbeat();
    this.heartbeatAt = performance.now();
    if (!standing) return this.options.membership.join();
    this.topicEnd = standing.end;
    // Their publisher may have died before it notified.
    if (this.owned.readers().some(({ wantedOffset }) => wantedOffset < standing.end)) this.poller.onPublished();
    this.dropLost(standing);
    await this.releaseOrphans(standing);
    const held = this.owned.numbers();
    if (held.length > standing.share) this.handOver(held.slice(standing.share));
    else if (held.length < standing.share) await this.claim(standing.share - held.length, standing.dead);
  }

  /** Drops partitions that other members claimed while they judged this one dead. */
  private dropLost({ owned }: Standing): void {
    const lost = this.owned.numbers().filter(partition => owned.get(partition) !== this.epochs.get(partition));
    if (lost.length > 0) void this.owned.lose(lost);
  }

  /** Releases partitions that this member owns in the database but does not consume, because the answer to a claim or a release was lost. */
  private async releaseOrphans({ owned }: Standing): Promise<void> {
    const orphans = [...owned.keys()].filter(partition => !this.owned.get(partition) && !this.owned.isLeaving(partition));
    if (orphans.length > 0) await this.options.membership.release(orphans);
  }

  /** Drops all partitions when this member had no heartbeat for a whole lease, because others may own them by now. */
  private dropExpired(): void {
    if (performance.now() - this.heartbeatAt > this.options.leaseMs) void this.owned.lose(this.owned.numbers());
  }

  /** Releases each partition when its own batch has ended; heartbeats continue meanwhile. */
  private handOver(partitions: number[]): void {
    for (const partition of partitions) {
      this.owned
        .giveUp([partition])
        .then(() => this.options.membership.release([partition]))
        .catch(error => this.options.log.warn({ ...this.place(), partition, err: error }, 'partition could not be released'));
    }
  }

  private async claim(limit: number, dead: number[]): Promise<void> {
    const claimed = await this.options.membership.claim(limit, dead);
    for (const { partition, epoch } of claimed) {
      this.epochs.set(partition, epoch);
      this.ended.delete(partition);
    }
    this.owned.take(claimed.map(({ partition, position }) => ({ partition, nextOffset: position })));
    this.poller.onAssigned();
  }

  private place() {
    return { topic: this.options.subscription.topic, group: this.options.subscription.group };
  }
}
