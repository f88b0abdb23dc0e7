import type { NotificationSource } from '@paycode/erasure';

/** Sealed notifications of messages that are not sent yet; each recipient's message of a transaction holds one. */
export const storedMessages: NotificationSource = {
  table: 'recipient_message',
  sealed: 'notification',
  storedAt: 't.created_at',
  holds: 't.notification is not null',
  // No text tells anything of the payer: what waits is sent all the same.
  isDecided: 'true',
  relatedIds: 'array[]::bigint[]',
};
