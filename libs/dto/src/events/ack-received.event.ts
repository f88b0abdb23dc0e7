import { id, instant, milliseconds, natural, oneOf } from '../schema/field-rules.ts';
import { dayMs, defineEvent, type EventData } from './define-event.ts';

export const ackReceived = defineEvent({
  type: 'AckReceived',
  description: 'The merchant acknowledged: by HTTP 200 to the webhook, or by reading the notification (recovery).',
  topic: {
    name: 'paycode.transaction.ack-received.v1',
    partitions: 16,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['webhook-dispatcher'],
    consumers: [
      { group: 'reversal-scheduler', service: 'reversal-scheduler' },
      { group: 'portal-acks', service: 'portal' },
    ],
  },
  key: 'transactionId',
  fields: {
    transactionId: id,
    merchantId: id,
    source: oneOf(['WEBHOOK', 'RECOVERY']),
    attempt: natural.describe('Delivery attempt the acknowledgement belongs to; 0 for a recovery before any attempt.'),
    elapsedMs: milliseconds
      .nullable()
      .describe('Milliseconds between the last request byte and the status line; null for RECOVERY.'),
    acknowledgedAt: instant,
  },
});

export type AckReceived = EventData<typeof ackReceived>;
