import type { ParseResult } from '@paycode/dto';
import type { EventBatch, ReceivedEvent } from './event-transport';

/**
 * The valid events of a batch, parsed. One that breaks the contract is parked with the reason, and the others go on (T-19); `onInvalid` does
 * something else with it, or more.
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
