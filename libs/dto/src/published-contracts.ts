import { eventName, events } from './events/events';
import { transactionNotificationV3 } from './notification/transaction-notification-v3';
import type { JsonSchema } from './schema/contract';

/** JSON Schemas that `libs/dto/contracts` publishes, by name and version. Others rely on them, so nothing in them is removed or narrowed. */
export function publishedContracts(): Record<string, JsonSchema> {
  const ofEvents = Object.values(events).map((event): [string, JsonSchema] => [
    `${eventName(event)}.${versionOf(event.topic.name)}`,
    event.schema,
  ]);
  return { ...Object.fromEntries(ofEvents), 'transaction-notification.v3': transactionNotificationV3.schema };
}

function versionOf(topic: string): string {
  return topic.slice(topic.lastIndexOf('.') + 1);
}
