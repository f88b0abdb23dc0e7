import type { NotificationSource } from '@paycode/erasure';

/** Sealed notifications of transactions. Whether a payment is decided is the dispatcher's to say; here its event must be on its way. */
export const storedTransactions: NotificationSource = {
  table: 'transaction',
  sealed: 'notification',
  storedAt: 't.completed_at',
  holds: 'true',
  isDecided: 'not exists (select from outbox o where o.aggregateid = t.transaction_id::text)',
  relatedIds: `
    array(select f.transaction_id from transaction f where f.reference_transaction_id = t.transaction_id order by 1)
    || array_remove(array[t.reference_transaction_id], null)`,
};
