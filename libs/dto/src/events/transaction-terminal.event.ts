import * as z from 'zod';
import { notificationStatus } from '../notification/notification-status.ts';
import { id, instant, natural, oneOf, pattern } from '../schema/contract.ts';
import { dayMs, defineEvent, type EventData } from './define-event.ts';

const compactJwe = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+$/;
const jweCharsMax = 64 * 1024;
const jweError = 'must be a compact JWE';

export const transactionTerminal = defineEvent({
  type: 'TransactionTerminal',
  description: 'A transaction reached a final state. Record key and dedup key: transactionId.',
  topic: {
    name: 'paycode.transaction.terminal.v1',
    // Twice the largest number of dispatcher replicas, and a divisor of the 256 shards.
    partitions: 64,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['payment-simulator'],
    consumers: [
      { group: 'webhook-dispatcher', service: 'webhook-dispatcher', isPerCell: true },
      { group: 'reversal-scheduler-audit', service: 'reversal-scheduler', isPerCell: true },
      { group: 'recipient-messages', service: 'recipient-messages' },
      { group: 'portal', service: 'portal' },
    ],
  },
  key: 'transactionId',
  fields: {
    transactionId: id,
    merchantId: id,
    kind: oneOf(['PURCHASE', 'REFUND', 'REVERSAL']),
    status: notificationStatus,
    // The finer state of spec 3.3, never shown to merchants (R-3.3-2).
    txState: pattern(/^[A-Z0-9_/]{1,64}$/, 'a TxState').describe('Internal, finer state; never shown in a notification.'),
    referenceTransactionId: natural.describe('The original transaction of a refund or reversal, else 0.'),
    completedAt: instant,
    // Sealed, so that no topic and no dead letter holds personal data in the clear (T-16).
    notification: z
      .string(jweError)
      .max(jweCharsMax, { error: jweError, abort: true })
      .regex(compactJwe, jweError)
      .describe('TransactionNotificationV3 JSON sealed as compact JWE (dir, A256GCM, kid) under the platform data key.'),
  },
});

export type TransactionTerminal = EventData<typeof transactionTerminal>;

export type TransactionKind = TransactionTerminal['kind'];
