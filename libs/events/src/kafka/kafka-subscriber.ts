import { FlushQueue } from '@paycode/persistence';
import { backoffMs, pauseFor, withinTime } from '@paycode/service-runtime/timing';
import { type Consumer, type EachBatchPayload, type Kafka, PartitionAssigners } from 'kafkajs';
import type { DeadLetter, Subscriber, SubscriberProgress, Subscription, TransportLog } from '../event-transport';
import { OwnedPartitions } from '../delivery/owned-partitions';
import { batchMaxDefault, commitLimits, type PartitionEdge } from '../delivery/partition-consumer';
import { isStaleMembership, isTransient, StalledConsumerError } from './kafka-errors';
import { KafkaIntake } from './kafka-intake';
import type { JoinHooks, StartingPoint } from './kafkajs-repairs';

export interface KafkaMemberOptions {
  kafka: Kafka;
  topic: string;
  group: string;
  sessionTimeoutMs: number;
  hooks: JoinHooks;
  onBatch(payload: EachBatchPayload): Promise<void>;
  /** The member is alive: it fetched, sent a heartbeat or joined. */
  onTurn(): void;
  /** kafkajs has given up; this member is dead. */
  onCrash(error: Error): void;
}

const closeTimeoutMs = 10_000;

/** One kafkajs consumer, from connecting to its end. A crashed one is not restarted; its owner makes a new one. */
export class KafkaMember {
  readonly consumer: Consumer;

  constructor(private readonly options: KafkaMemberOptions) {
    const { kafka, group, sessionTimeoutMs, hooks } = options;
    this.consumer = kafka.consumer({
      groupId: group,
      allowAutoTopicCreation: false,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.min(1_000, Math.floor(sessionTimeoutMs / 10)),
      // A long poll answers at once when records arrive. Its length only bounds how soon a resumed partition is fetched.
      maxWaitTimeInMs: 250,
      maxBytesPerPartition: 262_144,
      maxBytes: 5_242_880,
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 2_000, restartOnFailure: async () => false },
      partitionAssigners: [config => Object.assign(PartitionAssigners.roundRobin(config), hooks)],
    });
    this.follow();
  }

  async run(): Promise<void> {
    const { topic, onBatch } = this.options;
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [topic], fromBeginning: true });
    await this.consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: onBatch });
  }

  /** Leaves the group, within a time limit, because kafkajs may wait without end. */
  close(): Promise<void> {
    return withinTime(this.consumer.disconnect(), closeTimeoutMs, 'kafka consumer close');
  }

  private follow(): void {
    const { FETCH, HEARTBEAT, GROUP_JOIN, CONNECT, CRASH } = this.consumer.events;
    for (const event of [FETCH, HEARTBEAT, GROUP_JOIN, CONNECT] as const) this.consumer.on(event, () => this.options.onTurn());
    this.consumer.on(CRASH, ({ payload }) => this.options.onCrash(payload.error));
  }
}

export interface KafkaSubscriberOptions {
  kafka: Kafka;
  subscription: Subscription;
  /** The group as the brokers know it. */
  memberOf: string;
  sessionTimeoutMs: number;
  /** How long the first join is tried again. */
  firstJoinMs: number;
  log: TransportLog;
  /** Makes dead letters durable. */
  park(letters: readonly DeadLetter[]): Promise<void>;
  onStopped(subscriber: KafkaSubscriber): void;
}

interface Commit {
  partition: number;
  nextOffset: bigint;
}

const rejoinLimits = { firstMs: 200, maxMs: 5_000 };

const watchEveryMs = 5_000;
const stalledAfterMsMin = 30_000;
/** After so many consecutive stalls without a join, a replacement does not help. */
const stallsMax = 3;

/**
 * One member of a group. kafkajs fetches and keeps the membership. Batches are handled outside its loop, which therefore never blocks:
 * heartbeats continue during slow handlers, and a failing partition delays no other. A crashed kafkajs consumer is replaced when brokers
 * were unreachable or not ready; otherwise the subscriber makes no more progress, and liveness reports that.
 */
export class KafkaSubscriber implements Subscriber, PartitionEdge {
  private readonly owned: OwnedPartitions;
  private readonly intake: KafkaIntake;
  private readonly commits: FlushQueue<Commit, boolean>;
  private readonly stopping = new AbortController();
  private readonly joined = Promise.withResolvers<void>();
  private member: KafkaMember;
  private endMember: (error?: Error) => void = () => undefined;
  private isPaused = false;
  private hasJoined = false;
  private failures = 0;
  private stalls = 0;
  private turnAt = performance.now();
  private stopped?: Promise<void>;

  constructor(private readonly options: KafkaSubscriberOptions) {
    const { subscription, log } = options;
    this.owned = new OwnedPartitions({ subscription, edge: this, isPaused: () => this.isPaused, log });
    const { topic, batchMax = batchMaxDefault } = subscription;
    this.intake = new KafkaIntake({ topic, batchMax, owned: this.owned, signal: this.stopping.signal, log });
    this.commits = new FlushQueue(commits => this.commitAll(commits), commitLimits);
    this.member = this.createMember();
  }

  /** Resolves when the group has been joined; rejects when that fails, at once for a fault that lasts, else after `firstJoinMs`. */
  async start(): Promise<void> {
    void this.supervise();
    try {
      await this.joined.promise;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.owned.wake();
  }

  progress(): SubscriberProgress {
    const sinceLastTurnMs = performance.now() - this.turnAt;
    return { sinceLastTurnMs, assignedPartitions: this.owned.numbers(), lag: this.hasJoined ? this.intake.lag() : null };
  }

  followRanges(): void {
    this.intake.followRanges(this.member.consumer);
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  park(_partition: number, letters: readonly DeadLetter[]): Promise<void> {
    return this.options.park(letters);
  }

  commit(partition: number, nextOffset: bigint): Promise<boolean> {
    return this.commits.runOne({ partition, nextOffset });
  }

  onRoom(partition: number): void {
    this.intake.onRoom(partition, this.member.consumer);
  }

  private async end(): Promise<void> {
    this.stopping.abort();
    await this.owned.giveUp(this.owned.numbers());
    await this.owned.settled();
    await this.closeMember();
    this.endMember();
    this.joined.reject(new Error('subscriber was stopped before it joined'));
    this.options.onStopped(this);
  }

  private createMember(): KafkaMember {
    const { kafka, subscription, memberOf, sessionTimeoutMs } = this.options;
    const member: KafkaMember = new KafkaMember({
      kafka,
      topic: subscription.topic,
      group: memberOf,
      sessionTimeoutMs,
      hooks: { beforeJoin: () => this.beforeJoin(), afterJoin: assigned => this.afterJoin(assigned) },
      onBatch: payload => this.intake.take(payload, member.consumer),
      onTurn: () => this.turned(),
      onCrash: error => this.endMember(error),
    });
    return member;
  }

  private turned(): void {
    this.turnAt = performance.now();
  }

  /** Gives up all partitions before the group rebalances, within a time limit below the session timeout. */
  private async beforeJoin(): Promise<void> {
    this.turned();
    const partitions = this.owned.numbers();
    if (partitions.length === 0) return;
    const waited = new AbortController();
    const left = this.owned.giveUp(partitions).finally(() => waited.abort());
    await Promise.race([left, pauseFor(this.options.sessionTimeoutMs / 2, waited.signal)]);
    this.owned.fenceLeaving();
  }

  private afterJoin(assigned: StartingPoint[]): void {
    this.turned();
    this.hasJoined = true;
    this.failures = 0;
    this.stalls = 0;
    if (this.stopping.signal.aborted) return;
    this.owned.take(assigned);
    this.intake.reset(assigned, this.member.consumer);
    this.joined.resolve();
  }

  private async supervise(): Promise<void> {
    const firstJoinEndsAt = performance.now() + this.options.firstJoinMs;
    while (!this.stopping.signal.aborted) {
      const error = await this.memberEnd();
      if (error === undefined || this.stopping.signal.aborted) return;
      if (!isTransient(error) || (!this.hasJoined && performance.now() >= firstJoinEndsAt)) return this.giveIn(error);
      await this.replaceMember(error);
    }
  }

  /** Before the first join `start` rejects; later the subscriber makes no more progress, and liveness reports that. */
  private giveIn(error: Error): void {
    this.joined.reject(error);
    this.options.log.error({ ...this.place(), err: error }, 'event consumer failed permanently; it has stopped');
  }

  /** Runs the member; resolves with the error that ended it, or nothing when it was stopped. */
  private memberEnd(): Promise<Error | undefined> {
    this.turned();
    return new Promise<Error | undefined>(resolve => {
      const watch = setInterval(() => this.endStalled(), watchEveryMs);
      this.endMember = error => {
        clearInterval(watch);
        resolve(error);
      };
      this.member.run().catch((error: Error) => this.endMember(error));
    });
  }

  /** kafkajs can stop making progress without an error (tulios/kafkajs#659, #1441). A new member helps; if it does not, liveness reports it. */
  private endStalled(): void {
    const stalledMs = performance.now() - this.turnAt;
    if (stalledMs < Math.max(stalledAfterMsMin, 3 * this.options.sessionTimeoutMs) || this.stalls >= stallsMax) return;
    this.stalls++;
    this.endMember(new StalledConsumerError(Math.round(stalledMs)));
  }

  private async replaceMember(error: Error): Promise<void> {
    this.failures++;
    this.options.log.warn(
      { ...this.place(), attempt: this.failures, err: error },
      'event consumer found its brokers unreachable or not ready, and joins its group again',
    );
    void this.owned.lose(this.owned.numbers());
    await this.closeMember();
    await pauseFor(backoffMs(this.failures, rejoinLimits), this.stopping.signal);
    // The attempt counts as progress: unreachable brokers are no reason to restart this process.
    this.turned();
    this.member = this.createMember();
  }

  private async closeMember(): Promise<void> {
    try {
      await this.member.close();
    } catch (error) {
      this.options.log.warn({ ...this.place(), err: error }, 'event consumer could not leave its group in order');
    }
  }

  private async commitAll(commits: readonly Commit[]): Promise<boolean[]> {
    const { topic } = this.options.subscription;
    const offsets = commits.map(({ partition, nextOffset }) => ({ topic, partition, offset: String(nextOffset) }));
    try {
      await this.member.consumer.commitOffsets(offsets);
      return commits.map(() => true);
    } catch (error) {
      if (isStaleMembership(error)) return commits.map(() => false);
      throw error;
    }
  }

  private place() {
    return { topic: this.options.subscription.topic, group: this.options.subscription.group };
  }
}
