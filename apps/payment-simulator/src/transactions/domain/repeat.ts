import { parseNotification, serializeNotification } from '@paycode/dto';
import type { Completion } from './completion';
import { notificationOf } from './notification-of';
import type { StoredTransaction } from './transaction';

/**
 * Whether the completion, under the key of a transaction, says the same as the one that made it. What the merchant's record says
 * today does not count, nor that the transaction was reversed since. `notification`: the transaction's, opened.
 */
export function isRepeatOf(
  completion: Completion,
  { transaction, notification }: { transaction: StoredTransaction; notification: string },
): boolean {
  const { transactionId, merchantId, txState, reversal } = transaction;
  if (!reversal && completion.txState !== txState) return false;
  const { merchantName, acquirer } = parseNotification(notification);
  const again = notificationOf(completion, { merchantId, merchantName, acquirer }, transactionId);
  return serializeNotification(again) === notification;
}
