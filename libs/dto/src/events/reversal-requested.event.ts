import { id, instant, oneOf } from '../schema/contract.ts';
import { dayMs, defineEvent, type EventData } from './define-event.ts';

export const reversalReasons = ['NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT', 'BACKSTOP'] as const;

export type ReversalReason = (typeof reversalReasons)[number];

export const reversalRequested = defineEvent({
  type: 'ReversalRequested',
  description: 'The payment must be reversed. Idempotent by transactionId.',
  topic: {
    name: 'paycode.transaction.reversal-requested.v1',
    partitions: 16,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['reversal-scheduler'],
    consumers: [
      { group: 'payment-simulator', service: 'payment-simulator' },
      // Its own decisions, after a restore.
      { group: 'reversal-scheduler-restore', service: 'reversal-scheduler', isPerCell: true },
      { group: 'portal-reversals', service: 'portal' },
    ],
  },
  key: 'transactionId',
  fields: { transactionId: id, merchantId: id, reason: oneOf(reversalReasons), requestedAt: instant },
});

export type ReversalRequested = EventData<typeof reversalRequested>;
