import type { TransactionNotificationV3 } from '@paycode/dto';

/** Of a merchant, as notifications name it. */
export interface NotifiedMerchant {
  merchantId: number;
  merchantName: string;
  acquirer: string;
}

/**
 * Transaction ids from here to 2^53 - 1 are of test notifications; a payment core counts from below and never comes near. Receivers that
 * keep ids of notifications, to tell repeats, find no payment under them. Card numbers never begin with 90, so that no reference looks
 * like one.
 */
export const testIdMin = 9_000_000_000_000_000;
const testIds = Number.MAX_SAFE_INTEGER - testIdMin;

/** The V3 body of a notification that moves no money. `random`: from 0 up to 1, as Math.random gives it. */
export function testNotificationOf(merchant: NotifiedMerchant, random: () => number): TransactionNotificationV3 {
  const transactionId = testIdMin + Math.floor(random() * testIds);
  return {
    transactionId,
    merchantId: merchant.merchantId,
    merchantName: merchant.merchantName,
    acquirer: merchant.acquirer,
    reference: `TEST-${transactionId}`,
    amount: '0.00',
    currencyCode: 'ZAR',
    status: 'SUCCESS',
    clientMsisdn: '+27000000000',
    extraReferenceName: null,
    extraReferenceValue: null,
    tipAmount: null,
    referenceTransactionId: 0,
    bankResponse: { retrievalReferenceNumber: null, authCode: null, bankResponse: null, bankResponseMessage: null },
    cardInfo: {
      cardType: null,
      accountType: null,
      cardHolderName: null,
      bin: null,
      last4: null,
      binLast4: null,
      cardIssuer: null,
    },
    clientBilling: null,
    clientShipping: null,
    versionData: { version: '1' },
  };
}
