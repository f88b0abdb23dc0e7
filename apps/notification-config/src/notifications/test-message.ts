import type { KeyObject } from 'node:crypto';
import { webhookEnvelope } from '@paycode/crypto';
import { type EncryptionProfile, serializeNotification, type TransactionNotificationV3 } from '@paycode/dto';
import type { ProbeMessage } from '@paycode/safe-http';

/** The header fields of a delivery's first attempt, and one that says what this is. */
export function testMessageOf(
  notification: TransactionNotificationV3,
  { encryption, key }: { encryption: EncryptionProfile; key: KeyObject },
): ProbeMessage {
  const envelope = webhookEnvelope(encryption);
  return {
    body: envelope.encrypt(key, serializeNotification(notification)),
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-webhook-encryption': envelope.headerValue,
      'x-webhook-transaction-id': String(notification.transactionId),
      'x-webhook-attempt': '1',
      'x-webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'x-webhook-test': '1',
    },
  };
}
