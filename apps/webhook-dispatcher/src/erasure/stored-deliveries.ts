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
  // What refunded or reversed it is not looked for: no index leads there, and the payment core knows.
  relatedIds: 'array_remove(array[t.reference_transaction_id], 0)',
};
