import { DataFault } from '@paycode/persistence';
import type { EventToPublish } from '../event-transport';
import { encodeCloudEvent, type EventRecord } from './cloud-event';

/**
 * Largest event, in bytes of key, headers and value: well below the broker's 1 MiB per batch, and well above a sealed
 * notification.
 */
export const eventBytesMax = 262_144;

/**
 * The event is too large. A broker would always refuse it, and it would block the events behind it, so it is refused where it
 * is made.
 */
export class EventTooLargeError extends DataFault {
  override readonly name = 'EventTooLargeError';

  constructor(type: string, bytes: number) {
    super(`event of type ${type} has ${bytes} bytes, more than ${eventBytesMax}`);
  }
}

export interface SizedRecord extends EventRecord {
  topic: string;
  bytes: number;
}

/** Encodes an event. Throws EventTooLargeError. */
export function encodeBounded(event: EventToPublish): SizedRecord {
  const record = encodeCloudEvent(event);
  const headerBytes = Object.entries(record.headers).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  const bytes = record.value.length + Buffer.byteLength(record.key) + headerBytes;
  if (bytes > eventBytesMax) throw new EventTooLargeError(event.type, bytes);
  return { ...record, topic: event.topic, bytes };
}

export interface ChunkLimits<T> {
  countMax: number;
  bytesMax: number;
  /** Whether two items that follow each other may stand in one run. Default: any. */
  isAlike?(one: T, next: T): boolean;
}

/** Events that are kept in one row fill a page of PostgreSQL at most, so that the row is not cut into pieces in a second table. */
export const pageLimits = { countMax: 500, bytesMax: 7_800 };

/** Cuts a list into runs of at most `countMax` items and `bytesMax` bytes (a single larger item makes a run of its own). */
export function chunked<T extends { bytes: number }>(items: readonly T[], limits: ChunkLimits<T>): T[][] {
  const { countMax, bytesMax, isAlike = () => true } = limits;
  const chunks: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const last = chunks.at(-1);
    if (last && last.length < countMax && bytes + item.bytes <= bytesMax && isAlike(last[0]!, item)) {
      last.push(item);
      bytes += item.bytes;
    } else {
      chunks.push([item]);
      bytes = item.bytes;
    }
  }
  return chunks;
}
