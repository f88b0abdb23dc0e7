import type * as z from 'zod';
import { contract, id, natural, oneOf, own, pattern, record, text } from '../schema/contract';
import { notificationStatus } from './notification-status';

/** Longest address object, as JSON in UTF-8 (decision "Address objects"). */
const addressBytesMax = 4096;
const decimalForm = /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/;

// In memory it is a string of digits, in JSON a number with exactly those digits. The schema describes the JSON.
const amount = own<string>(
  { type: 'number', minimum: 0 },
  'a decimal of up to 15 digits and 6 decimals',
  value => typeof value === 'string' && decimalForm.test(value),
);

const msisdn = pattern(/^\+?[1-9]\d{6,14}$/, 'a number in international format');
// Card texts cannot hold a full card number (R-2.5-15). Without look-ahead, which RE2 has not.
const cardTextRule = 'text of at most 128 characters without a card number';
const cardText = pattern(/^\D*(\d{1,11}\D+)*\d{0,11}$/, cardTextRule).max(128, `must be ${cardTextRule}`);

const address = own<Record<string, unknown>>(
  { type: 'object', description: 'Passed through unchanged; at most 4 KiB as JSON.' },
  'an object of at most 4 KiB',
  value =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Buffer.byteLength(JSON.stringify(value)) <= addressBytesMax,
);

const bankResponse = record('BankResponse', 'The answer of the bank; members are null when no bank was reached.', {
  retrievalReferenceNumber: natural.nullable().describe('Bank RRN; as a number it has no leading zeros.'),
  authCode: text(32).nullable().describe('Issuer authorisation code.'),
  bankResponse: text(32).nullable().describe('ISO response code.'),
  bankResponseMessage: text(255).nullable(),
});

const cardInfo = record(
  'CardInfo',
  'BIN and last four digits only, never the full card number; members are null when no card was used.',
  {
    cardType: cardText.nullable().describe('For example VISA, MASTERCARD, AMEX, DINERS.'),
    accountType: oneOf(['DEBIT', 'CREDIT', 'CHEQUE']).nullable(),
    cardHolderName: cardText.nullable(),
    bin: pattern(/^\d{6}$/, '6 digits').nullable(),
    last4: pattern(/^\d{4}$/, '4 digits').nullable(),
    binLast4: pattern(/^\d{6}-\d{4}$/, 'bin-last4').nullable(),
    cardIssuer: cardText.nullable(),
  },
).refine(card => card.binLast4 === null || card.binLast4 === `${card.bin}-${card.last4}`, {
  path: ['binLast4'],
  error: 'must be {bin}-{last4}',
});

const contactText = text(255);
const clientContact = record('ClientContact', 'Present if the code asked for contact data.', {
  firstName: contactText,
  lastName: contactText,
  emailAddress: contactText,
  phoneNumber: contactText,
  country: contactText.describe('ISO 3166-1 alpha-2 code.'),
});

const versionData = record('VersionData', 'Version envelope, independent of the payload version.', { version: text(16) });

/** Fields in the order of the document (2.5), which is the order they are written in. */
const transactionNotification = record(
  'TransactionNotificationV3',
  'The decrypted webhook body and the answer of getNotification.',
  {
    transactionId: id.describe('Internal transaction id; dedup key of receivers.'),
    merchantId: id,
    merchantName: text(255),
    acquirer: text(128).describe('Acquiring bank that processed the transaction.'),
    reference: text(45).describe('The merchantReference given at createCode.'),
    amount: amount.describe('Exact decimal amount in currencyCode, tip included.'),
    currencyCode: pattern(/^[A-Z]{3}$/, 'an ISO 4217 code').describe('ISO 4217 code.'),
    code: pattern(/^\d{10}$/, '10 digits')
      .optional()
      .describe('The code value; only for code purchases.'),
    status: notificationStatus,
    clientMsisdn: msisdn.describe('Customer mobile number.'),
    destination: msisdn.optional().describe('Destination MSISDN; only for airtime and VAS purchases.'),
    extraReferenceName: text(255).nullable(),
    extraReferenceValue: text(255).nullable(),
    tipAmount: amount.nullable().describe('Portion of amount that is tip, when requestTip was set.'),
    referenceTransactionId: natural.describe('Original transaction of a refund or reversal, else 0.'),
    bankResponse,
    cardInfo,
    clientContact: clientContact.optional(),
    clientBilling: address.nullable(),
    clientShipping: address.nullable(),
    versionData,
  },
);

/**
 * The decrypted webhook body and the getNotification answer (spec 2.5). Amounts are exact decimals: in memory they are strings
 * of digits, on the wire JSON numbers with exactly those digits; only `notification-json.ts` writes them.
 */
export type TransactionNotificationV3 = z.infer<typeof transactionNotification>;

/** JSON Schema of the wire form, and the rules of the form in memory. */
export const transactionNotificationV3 = contract(transactionNotification);

/** Members are null when no bank was reached. */
export type BankResponse = z.infer<typeof bankResponse>;

/** BIN and last four digits only, never a full PAN (R-2.5-15). */
export type CardInfo = z.infer<typeof cardInfo>;

export type ClientContact = z.infer<typeof clientContact>;
