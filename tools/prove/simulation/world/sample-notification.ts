import type { TransactionNotificationV3 } from '@paycode/dto';

const noBank = { retrievalReferenceNumber: null, authCode: null, bankResponse: null, bankResponseMessage: null };
const noCard = {
  cardType: null,
  accountType: null,
  cardHolderName: null,
  bin: null,
  last4: null,
  binLast4: null,
  cardIssuer: null,
};

/** The notification of a payment that a merchant reads. */
export function sampleNotification(transactionId: number, merchantId: number): TransactionNotificationV3 {
  return {
    transactionId,
    merchantId,
    merchantName: 'M',
    acquirer: 'A',
    reference: 'r',
    amount: '1.00',
    currencyCode: 'ZAR',
    status: 'SUCCESS',
    clientMsisdn: '+27820000000',
    extraReferenceName: null,
    extraReferenceValue: null,
    tipAmount: null,
    referenceTransactionId: 0,
    bankResponse: noBank,
    cardInfo: noCard,
    clientBilling: null,
    clientShipping: null,
    versionData: { version: '1' },
  };
}
