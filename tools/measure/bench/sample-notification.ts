import type { TransactionNotificationV3 } from '@paycode/dto';

const place = {
  line1: '12 Long Street',
  line2: 'Gardens',
  city: 'Cape Town',
  region: 'Western Cape',
  postalCode: '8001',
  country: 'ZA',
};
const person = {
  firstName: 'Thandi',
  lastName: 'Nkosi',
  emailAddress: 'thandi.nkosi@example.com',
  phoneNumber: '27820000001',
};

/** A notification of about 1.3 kB as JSON: a card payment with billing and shipping data. */
export function sampleNotification(transactionId: number, merchantId: number): TransactionNotificationV3 {
  return {
    transactionId,
    merchantId,
    merchantName: 'Corner Shop',
    acquirer: 'ACQ',
    reference: `order-${transactionId}`,
    amount: '110.10',
    currencyCode: 'ZAR',
    code: '0123456789',
    status: 'SUCCESS',
    clientMsisdn: '27820000001',
    extraReferenceName: 'Table',
    extraReferenceValue: '14',
    tipAmount: '10.00',
    referenceTransactionId: 0,
    bankResponse: { retrievalReferenceNumber: 123_456, authCode: 'A1B2C3', bankResponse: '00', bankResponseMessage: 'Approved' },
    cardInfo: {
      cardType: 'VISA',
      accountType: 'CREDIT',
      cardHolderName: 'T NKOSI',
      bin: '412345',
      last4: '1234',
      binLast4: '412345-1234',
      cardIssuer: 'FIRST BANK',
    },
    clientContact: { ...person, country: 'ZA' },
    clientBilling: { ...person, ...place },
    clientShipping: { ...person, ...place, instructions: 'Leave with the concierge if nobody is at home.' },
    versionData: { version: '1' },
  };
}
