import type { PartitionRecord } from '../delivery/deliver-batch';
import type { RawRecord } from '../record/cloud-event';

type Stored = { key: string | null; value: string | null; headers: Record<string, string[]> };

/** The bytes of a record, so that it comes out as it went in, whatever it holds. */
export function storedRecord({ key, value, headers = {} }: RawRecord): Buffer {
  const all = Object.entries(headers).flatMap(([name, of]) => (of === undefined ? [] : [[name, [of].flat().map(base64)]]));
  const stored: Stored = {
    key: base64OrNull(key),
    value: base64OrNull(value),
    headers: Object.fromEntries(all) as Stored['headers'],
  };
  return Buffer.from(JSON.stringify(stored));
}

export function recordFrom(bytes: Buffer): RawRecord {
  const { key, value, headers } = JSON.parse(bytes.toString()) as Stored;
  const all = Object.entries(headers).map(([name, values]) => [name, values.map(bytesOf)] as const);
  return {
    key: key === null ? null : bytesOf(key),
    value: value === null ? null : bytesOf(value),
    headers: Object.fromEntries(all),
  };
}

/** Where a record stands in its topic: partition/offset. */
export function placeOf(partition: number, { offset }: Pick<PartitionRecord, 'offset'>): string {
  return `${partition}/${offset}`;
}

const base64 = (part: string | Uint8Array): string => Buffer.from(part).toString('base64');
const base64OrNull = (part: RawRecord['key']): string | null => (part === null || part === undefined ? null : base64(part));
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');
