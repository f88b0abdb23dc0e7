import type { TransactionNotificationV3 } from '@paycode/dto';

/** A payment of merchant 1001. */
export function sampleNotification(transactionId: number): TransactionNotificationV3 {
  return {
    transactionId,
    merchantId: 1001,
    merchantName: 'Corner Shop',
    acquirer: 'ACQ',
    reference: `order-${transactionId}`,
    amount: '110.10',
    currencyCode: 'ZAR',
    code: '0123456789',
    status: 'SUCCESS',
    clientMsisdn: '27820000001',
    extraReferenceName: null,
    extraReferenceValue: null,
    tipAmount: null,
    referenceTransactionId: 0,
    bankResponse: { retrievalReferenceNumber: 1, authCode: 'A1', bankResponse: '00', bankResponseMessage: 'Approved' },
    cardInfo: {
      cardType: 'VISA',
      accountType: 'CREDIT',
      cardHolderName: 'A B',
      bin: '412345',
      last4: '1234',
      binLast4: '412345-1234',
      cardIssuer: 'BANK',
    },
    clientBilling: null,
    clientShipping: null,
    versionData: { version: '1' },
  };
}
