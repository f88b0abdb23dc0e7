import type { NotificationSource } from '@paycode/erasure';

/** Sealed notifications of messages that are not sent yet; each recipient's message of a transaction holds one. */
export const storedMessages: NotificationSource = {
  table: 'recipient_message',
  sealed: 'notification',
  storedAt: 't.created_at',
  holds: 't.notification is not null',
  // No text contains data of the payer, so waiting messages are sent anyway.
  isDecided: 'true',
  relatedIds: 'array[]::bigint[]',
};
