import {
  type MerchantRecord,
  type NotificationStatus,
  notificationStatusOf,
  parseNotification,
  serializeNotification,
  type TransactionNotificationV3,
} from '@paycode/dto';
import { bankResponseOf, cardInfoOf } from './bank';
import type { Completion, StoredTransaction } from './transaction';

/** The state is transient; only a terminal state causes a notification. */
export class TransientStateError extends Error {
  override readonly name = 'TransientStateError';
}

/** The status for the merchant. @throws TransientStateError */
export function statusOf(txState: string): NotificationStatus {
  const status = notificationStatusOf(txState);
  if (status === null) throw new TransientStateError('the state is not terminal');
  return status;
}

/** The notification of a completion: complete, with absent fields null or omitted as A-55 says. */
export function notificationOf(
  completion: Completion,
  merchant: Pick<MerchantRecord, 'merchantId' | 'merchantName' | 'acquirer'>,
  transactionId: number,
): TransactionNotificationV3 {
  const { code, destination, clientContact } = completion;
  return {
    transactionId,
    merchantId: merchant.merchantId,
    merchantName: merchant.merchantName,
    acquirer: merchant.acquirer,
    reference: completion.reference,
    amount: completion.amount,
    currencyCode: completion.currencyCode,
    ...(code === undefined ? {} : { code }),
    status: statusOf(completion.txState),
    clientMsisdn: completion.clientMsisdn,
    ...(destination === undefined ? {} : { destination }),
    extraReferenceName: completion.extraReferenceName,
    extraReferenceValue: completion.extraReferenceValue,
    tipAmount: completion.tipAmount,
    referenceTransactionId: completion.referenceTransactionId,
    bankResponse: { ...bankResponseOf(completion.txState, transactionId), ...completion.bankResponse },
    cardInfo: { ...cardInfoOf(completion.txState), ...completion.cardInfo },
    ...(clientContact === undefined ? {} : { clientContact }),
    clientBilling: completion.clientBilling,
    clientShipping: completion.clientShipping,
    versionData: { version: '1' },
  };
}

/** The notification of a reversal: the original's, with the reversal's own id and state (R-3.1-6, A-04). */
export function reversalNotificationOf(
  original: TransactionNotificationV3,
  transactionId: number,
  txState: string,
): TransactionNotificationV3 {
  return {
    ...original,
    transactionId,
    status: statusOf(txState),
    referenceTransactionId: original.transactionId,
    bankResponse: bankResponseOf(txState, transactionId),
  };
}

/**
 * Whether the completion has the same content as the one that made the transaction of this key. The comparison ignores later changes
 * of the merchant's record, and a later reversal of the transaction. `notification`: the transaction's, opened.
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
