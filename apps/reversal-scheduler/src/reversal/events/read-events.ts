import type { ParseResult } from '@paycode/dto';
import type { EventBatch } from '@paycode/events';

/** The valid events of a batch; one that breaks the contract is parked with the reason, and the others go on (T-19). */
export function readEvents<T>(batch: EventBatch, parse: (data: unknown) => ParseResult<T>): T[] {
  return batch.events.flatMap(event => {
    const result = parse(event.data);
    if (result.ok) return [result.value];
    batch.reject(event, result.reason);
    return [];
  });
}
