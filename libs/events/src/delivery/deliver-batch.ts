import type { ReceivedEvent, Subscription } from '../event-transport';
import { decodeCloudEvent, dlqReasonHeader, headerOf, type RawRecord } from '../record/cloud-event';

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

const reasonCharsMax = 200;

export interface Delivery {
  subscription: Subscription;
  partition: number;
  records: readonly PartitionRecord[];
  signal: AbortSignal;
}

/**
 * Hands the decodable records to the handler. Returns what must be parked: undecodable records, and events the handler rejected.
 * Throws what the handler throws: then nothing is parked and the whole batch comes again.
 */
export async function deliverBatch({ subscription, partition, records, signal }: Delivery): Promise<DeadLetter[]> {
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
  if (recordOf.size === 0) return letters;
  const rejected = new Map<PartitionRecord, string>();
  await subscription.onBatch({
    topic: subscription.topic,
    partition,
    events: [...recordOf.keys()],
    signal,
    reject: (event, reason) => {
      const record = recordOf.get(event);
      if (!record) throw new Error('reject() takes an event of this batch');
      rejected.set(record, reason.slice(0, reasonCharsMax));
    },
  });
  for (const [record, reason] of rejected) letters.push({ record, reason });
  return letters;
}
