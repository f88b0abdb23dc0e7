import type { NotificationSource } from '@paycode/erasure';

/**
 * Sealed notifications of transactions. The dispatcher knows whether a payment is decided; here its event must have been published.
 */
export const storedTransactions: NotificationSource = {
  table: 'transaction',
  sealed: 'notification',
  storedAt: 't.completed_at',
  holds: 'true',
  isDecided: "not exists (select from outbox o where t.transaction_id::text = any(string_to_array(o.aggregateid, E'\\n')))",
  relatedIds: `
    array(select f.transaction_id from transaction f where f.reference_transaction_id = t.transaction_id order by 1)
    || array_remove(array[t.reference_transaction_id], null)`,
};
