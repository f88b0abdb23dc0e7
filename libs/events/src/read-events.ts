import type { ParseResult } from '@paycode/dto';
import type { EventBatch, ReceivedEvent } from './event-transport';

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
