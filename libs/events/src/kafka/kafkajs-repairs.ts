import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from './kafka-errors';

/**
 * Two repairs of kafkajs 2.2.4, which has had no release since 2023. They replace one method each on its prototypes; the spec beside
 * this file fails when another version is installed.
 *
 * 1. `scheduleCheckPendingRequests` re-arms a timer without end, with a negative delay when nothing is throttled: about 1,000
 * wake-ups a second per connection and, on Node 24, a TimeoutNegativeWarning (tulios/kafkajs#1751). A timer is needed only while a
 * request waits, because every request that ends checks the queue.
 * 2. `joinAndSync` does not let the member finish and commit running batches before another member gets the partitions, does not tell
 * where the new ones start, and may run several times at once (once per broker that reports stale metadata).
 */
export interface RequestQueueInternals {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

export interface ConsumerGroupInternals {
  assigners: Partial<JoinHooks>[];
  assigned(): { topic: string; partitions: number[] }[];
  offsetManager: { resolveOffsets(): Promise<void>; nextOffset(topic: string, partition: number): { toString(): string } };
  cluster: { refreshMetadata(): Promise<void> };
  joinAndSync(): Promise<void>;
}

export interface StartingPoint {
  topic: string;
  partition: number;
  /** First offset that the group has not committed, or the start of the log. */
  nextOffset: bigint;
}

/** Carried by a partition assigner: called around every join of the group. */
export interface JoinHooks {
  /** Awaited before the member joins again; it gives up all its partitions in this call. */
  beforeJoin(): Promise<void>;
  afterJoin(assigned: StartingPoint[]): void;
}

/** Overload without throttling clears when a request ends; the timer only guards against a missed end. */
const pendingCheckMs = 10;
const resolveAttemptsMax = 5;
const resolvePauseMs = 100;

function repairRequestQueue(prototype: RequestQueueInternals): void {
  prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests(): void {
    if (this.throttleCheckTimeoutId) return;
    const throttledMs = Math.max(0, this.throttledUntil - Date.now());
    if (throttledMs === 0 && this.pending.length === 0) return;
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : pendingCheckMs,
    );
  };
}

function repairConsumerGroup(prototype: ConsumerGroupInternals): void {
  const joinAndSync = prototype.joinAndSync;
  const joining = new WeakMap<ConsumerGroupInternals, Promise<void>>();

  const joinOnce = async (group: ConsumerGroupInternals): Promise<void> => {
    const hooks = group.assigners.find(assigner => assigner.beforeJoin && assigner.afterJoin);
    await hooks?.beforeJoin?.();
    await joinAndSync.call(group);
    if (!hooks) return;
    await resolveOffsets(group);
    hooks.afterJoin?.(startingPoints(group));
  };

  prototype.joinAndSync = function joinAndSyncShared(): Promise<void> {
    const running = joining.get(this);
    if (running) return running;
    const started = joinOnce(this).finally(() => joining.delete(this));
    joining.set(this, started);
    return started;
  };
}

/** A leader may have moved since the metadata was read, or a new topic may not have one everywhere yet. */
async function resolveOffsets(group: ConsumerGroupInternals): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await group.offsetManager.resolveOffsets();
    } catch (error) {
      if (!isTransient(error) || attempt === resolveAttemptsMax) throw error;
      await pause(resolvePauseMs * attempt);
      await group.cluster.refreshMetadata();
    }
  }
}

function startingPoints(group: ConsumerGroupInternals): StartingPoint[] {
  return group.assigned().flatMap(({ topic, partitions }) =>
    partitions.map(partition => {
      const nextOffset = BigInt(group.offsetManager.nextOffset(topic, partition).toString());
      return { topic, partition, nextOffset };
    }),
  );
}

/** The two internal classes, which have no types of their own. */
export function kafkajsInternals(): {
  RequestQueue: { prototype: RequestQueueInternals };
  ConsumerGroup: { prototype: ConsumerGroupInternals };
} {
  const load = createRequire(__filename);
  return {
    RequestQueue: load('kafkajs/src/network/requestQueue/index.js') as { prototype: RequestQueueInternals },
    ConsumerGroup: load('kafkajs/src/consumer/consumerGroup.js') as { prototype: ConsumerGroupInternals },
  };
}

/** On the class itself: a process may hold several copies of this file, and a class repaired twice would call the hooks of a join twice. */
const repaired = Symbol.for('paycode.kafkajs-repaired');

/** Idempotent. Call before the first client is made. */
export function repairKafkajs(): void {
  const { RequestQueue, ConsumerGroup } = kafkajsInternals();
  if (repaired in ConsumerGroup.prototype) return;
  Object.assign(ConsumerGroup.prototype, { [repaired]: true });
  repairRequestQueue(RequestQueue.prototype);
  repairConsumerGroup(ConsumerGroup.prototype);
}
