import { ExactNumber, type TransactionNotificationV3 } from '@paycode/dto';
import type { StoredTransaction } from '../../transactions';
import type { PaymentCode } from '../domain/code';

/** Answer of queryRef: TxState of the latest payment made with the code, `N/A` before there is one. */
export function referenceAnswer(
  code: PaymentCode,
  payment: { transaction: StoredTransaction; notification: TransactionNotificationV3 } | undefined,
): object {
  const known = { reference: code.merchantReference, currencyCode: code.currencyCode, code: code.code };
  if (!payment) {
    const nothing = { clientMsisdn: null, bankResponse: null, retrievalReferenceNumber: null, authCode: null, date: null };
    return { transactionId: null, ...known, amount: new ExactNumber(code.amount), status: 'N/A', ...nothing };
  }
  const { transaction, notification } = payment;
  return {
    transactionId: transaction.transactionId,
    ...known,
    amount: new ExactNumber(transaction.amount),
    status: transaction.txState,
    clientMsisdn: notification.clientMsisdn,
    bankResponse: notification.bankResponse.bankResponse,
    retrievalReferenceNumber: notification.bankResponse.retrievalReferenceNumber,
    authCode: notification.bankResponse.authCode,
    date: transaction.completedAt,
  };
}
