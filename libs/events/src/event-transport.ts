import type { ParseResult } from '@paycode/dto';

/** An event to publish: CloudEvents 1.0 attributes plus topic and record key. */
export interface EventToPublish {
  topic: string;
  /** Record key: transactionId as text. Events of one key stay in order. */
  key: string;
  /** CloudEvents `id`, unique per source. */
  id: string;
  /** CloudEvents `type`, e.g. `TransactionTerminal`. */
  type: string;
  /** CloudEvents `source`: the emitting service. */
  source: string;
  /** CloudEvents `time`, ISO 8601 UTC. */
  time: string;
  /** JSON-serialisable payload. */
  data: unknown;
  /** W3C trace context, when a trace is active. */
  traceparent?: string;
}

export interface ReceivedEvent extends EventToPublish {
  partition: number;
  /** Position in the partition, as decimal text. */
  offset: string;
  /** Why the event was parked; set only on events read from a dead-letter topic. */
  dlqReason?: string;
}

/**
 * Events of one partition, in order. When `onBatch` resolves, their offsets are committed; when it rejects, the batch comes again after a
 * back-off. When it rejects because of the data of an event (`isDataFault`), the batch comes again in halves at once, and an event that
 * still fails alone is parked.
 */
export interface EventBatch {
  topic: string;
  partition: number;
  events: readonly ReceivedEvent[];
  /** Parks one poison event in `<topic>.<group>.dlq`; the others go on. `reason` must carry no payload data. */
  reject(event: ReceivedEvent, reason: string): void;
  /** Another group has the events from this offset on: they are not committed, and the partition delivers no more until it is assigned again. */
  endAt(offset: number): void;
  /** Another group has the events below this offset: they count as read here, but a dead letter among them is not handled. */
  startAt(offset: number): void;
  /** Aborted when the partition is revoked or the subscriber stops. */
  signal: AbortSignal;
}

/** The offsets of a partition that a group takes: another group has the others. */
export interface TakenRange {
  from: number;
  /** First offset after it; null: no end. */
  until: number | null;
}

export interface Subscription {
  topic: string;
  /** Consumer group: each event reaches one member of each group. */
  group: string;
  onBatch(batch: EventBatch): Promise<void>;
  /** Upper bound of events in a batch. Default 500. */
  batchMax?: number;
  /** Delivers events only when they are this old (publication time), in milliseconds, for the audit. Default 0. */
  minAgeMs?: number;
  /** How long events may wait to share a read with others, in milliseconds, when they are not urgent. Default: almost not at all. */
  gatherMs?: number;
  /** Read when a partition is gained, and with each `followRanges`. Offsets outside of it are neither delivered nor committed. Undefined: it is not known yet. Default: all. */
  rangeOf?(partition: number): TakenRange | undefined;
  /** Called with what was parked, before the commit, when the dead-letter topic has it; when it rejects, the batch comes again. */
  onParked?(partition: number, letters: readonly DeadLetter[]): Promise<void>;
  /** Called after partitions were gained. */
  onAssigned?(partitions: readonly number[]): void;
  /** Called before partitions are given up, and awaited within the rebalance time. */
  onRevoked?(partitions: readonly number[]): Promise<void> | void;
}

export interface SubscriberProgress {
  /** Milliseconds since the consume loop last made progress (poll or heartbeat), on the monotonic clock. */
  sinceLastTurnMs: number;
  assignedPartitions: readonly number[];
  /** Published events this group has not committed yet, in the assigned partitions; null when unknown. */
  lag: number | null;
}

export interface Subscriber {
  /** Back-pressure: no further batches until `resume`; membership is kept alive meanwhile. */
  pause(): void;
  resume(): void;
  progress(): SubscriberProgress;
  /** Takes what `rangeOf` says now. */
  followRanges(): void;
  /** Finishes the running batch, commits, leaves the group. */
  stop(): Promise<void>;
}

/** The only port to the event log. Its implementations on Kafka and PostgreSQL both pass `testing/event-transport.conformance.ts`. */
export abstract class EventTransport {
  /** Resolves once every event is durable (`acks=all`, or committed). Rejects when any is not; publishing again is safe for consumers. */
  abstract publish(events: readonly EventToPublish[]): Promise<void>;
  abstract subscribe(subscription: Subscription): Promise<Subscriber>;
  abstract partitionCount(topic: string): Promise<number>;
  /** By partition, the next offset that the group has not committed; null: it has committed none. */
  abstract committed(topic: string, group: string): Promise<(number | null)[]>;
  /** No event that is published from now on has an offset of the partition below this one. */
  abstract endOf(topic: string, partition: number): Promise<number>;
  /** Stops all subscribers and connections. */
  abstract close(): Promise<void>;
}

/** A record as a broker delivers it: any part may be missing or repeated. */
export interface RawRecord {
  key: Uint8Array | string | null | undefined;
  value: Uint8Array | string | null | undefined;
  headers?: Record<string, string | Uint8Array | (string | Uint8Array)[] | undefined>;
}

/** A record of the log on its way to a handler. */
export interface PartitionRecord {
  offset: bigint;
  /** When it was published, on this process' monotonic clock. */
  publishedAtMs: number;
  raw: RawRecord;
}

export interface DeadLetter {
  record: PartitionRecord;
  /** Names the defect; carries no payload. */
  reason: string;
}

/** The logger of the transports (pino fits). Fields are ids, counts and errors, never payload (T-17). */
export interface TransportLog {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/**
 * Returns the valid events of a batch, parsed. An event that breaks the contract is parked with the reason, and the others continue (T-19);
 * `onInvalid` replaces or extends that.
 */
export function readEvents<T>(
  batch: EventBatch,
  parse: (data: unknown, event: ReceivedEvent) => ParseResult<T>,
  onInvalid: (event: ReceivedEvent, reason: string) => void = (event, reason) => batch.reject(event, reason),
): T[] {
  const values: T[] = [];
  for (const event of batch.events) {
    const result = parse(event.data, event);
    if (result.ok) values.push(result.value);
    else onInvalid(event, result.reason);
  }
  return values;
}
