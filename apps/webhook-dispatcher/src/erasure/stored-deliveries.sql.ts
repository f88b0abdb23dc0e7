import type { NotificationSource } from '@paycode/erasure';

/** Sealed notifications of deliveries. A stub holds none. */
export const storedDeliveries: NotificationSource = {
  table: 'delivery',
  sealed: 'payload',
  storedAt: 't.received_at',
  holds: 'not t.stub',
  isDecided: `
    exists (select from verdict v where v.transaction_id = t.transaction_id)
    and not exists (select from notice_retry n where n.transaction_id = t.transaction_id)`,
  // Refunds and reversals of a transaction are not searched here: no index finds them, and the payment core knows them.
  relatedIds: 'array_remove(array[t.reference_transaction_id], 0)',
};
