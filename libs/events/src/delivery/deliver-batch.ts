import { deadLetterTopic, isDeadLetterTopic } from '@paycode/dto';
import { dataFaultReason, isolate } from '@paycode/persistence';
import type { DeadLetter, PartitionRecord, ReceivedEvent, Subscription, TransportLog } from '../event-transport';
import { decodeCloudEvent, dlqReasonHeader, headerOf } from '../record/cloud-event';

const reasonCharsMax = 200;

interface Delivery {
  subscription: Subscription;
  partition: number;
  records: readonly PartitionRecord[];
  signal: AbortSignal;
  /** Told of the offset at which the handler ends the partition. */
  onEnd?(offset: bigint): void;
  /** Told of the offset below which it takes nothing. */
  onStart?(offset: bigint): void;
}

/**
 * Passes the decodable records to the handler. Returns the records to park: undecodable records, events that the handler rejected, and
 * events whose data makes the handler fail. A batch that fails because of its data is repeated in halves until each such event is alone
 * (T-29). Handlers are idempotent, because any batch may come again. Throws all other errors of the handler: then nothing is parked and the
 * batch comes again.
 */
export async function deliverBatch({
  subscription,
  partition,
  records,
  signal,
  onEnd,
  onStart,
}: Delivery): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  const recordOf = new Map<ReceivedEvent, PartitionRecord>();
  for (const record of records) {
    const decoded = decodeCloudEvent(record.raw);
    if (decoded.ok) {
      const dlqReason = headerOf(record.raw, dlqReasonHeader);
      const place = { topic: subscription.topic, partition, offset: String(record.offset) };
      recordOf.set({ ...decoded.event, ...place, ...(dlqReason ? { dlqReason } : {}) }, record);
    } else {
      letters.push({ record, reason: decoded.reason });
    }
  }
  const park = (event: ReceivedEvent, reason: string) => letters.push({ record: recordOf.get(event)!, reason });
  await isolate([...recordOf.keys()], {
    write: async events => {
      // The partition may have been given up between two halves; its next owner begins with the whole batch.
      if (events.length < recordOf.size) signal.throwIfAborted();
      const rejected = await handled(events, { subscription, partition, signal, onEnd, onStart });
      for (const [event, reason] of rejected) park(event, reason);
    },
    failed: (event, error) => park(event, dataFaultReason(error)!),
  });
  return letters;
}

/** The events that the handler rejected, with the reasons. */
async function handled(
  events: readonly ReceivedEvent[],
  { subscription, partition, signal, onEnd, onStart }: Omit<Delivery, 'records'>,
): Promise<Map<ReceivedEvent, string>> {
  const rejected = new Map<ReceivedEvent, string>();
  await subscription.onBatch({
    topic: subscription.topic,
    partition,
    events,
    signal,
    reject: (event, reason) => {
      if (!events.includes(event)) throw new Error('reject() takes an event of this batch');
      rejected.set(event, reason.slice(0, reasonCharsMax));
    },
    endAt: offset => onEnd?.(BigInt(offset)),
    startAt: offset => onStart?.(BigInt(offset)),
  });
  return rejected;
}

/** The dead-letter topic of a subscription; undefined for a subscription to a dead-letter topic. */
export function parkingTopicOf({ topic, group }: Subscription): string | undefined {
  return isDeadLetterTopic(topic) ? undefined : deadLetterTopic(topic, group);
}

/** A reader of dead letters skips a record that it cannot handle; the record stays in the topic. */
export function passOver({ topic, group }: Subscription, log: TransportLog) {
  return async (letters: readonly DeadLetter[]): Promise<void> => {
    log.warn({ topic, group, count: letters.length }, 'dead letters could not be read; they stay in their topic');
  };
}
