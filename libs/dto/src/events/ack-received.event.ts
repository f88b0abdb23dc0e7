import { id, instant, milliseconds, natural, oneOf, pattern } from '../schema/contract.ts';
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
      { group: 'reversal-scheduler', service: 'reversal-scheduler', isPerCell: true },
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
    ackToken: pattern(/^[A-Za-z0-9_-]{22}$/, '22 characters of base64url')
      .optional()
      .describe(
        'Proves that the dispatcher wrote the event: arming gave the scheduler its hash (T-18). Absent: of an older release.',
      ),
  },
});

export type AckReceived = EventData<typeof ackReceived>;
