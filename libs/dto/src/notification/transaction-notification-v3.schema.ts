import { id, natural, oneOf, pattern, text } from '../schema/field-rules';
import { RecordRule } from '../schema/record-rule';
import { described, isRecord, nullable, optional, rule } from '../schema/rule';
import { notificationStatus } from './notification-status.rule';
import type { BankResponse, CardInfo, ClientContact, TransactionNotificationV3 } from './transaction-notification-v3';

/** Longest address object, as JSON in UTF-8 (decision "Address objects"). */
const addressBytesMax = 4096;
const decimalForm = /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/;

// In memory a string of digits, on the wire a JSON number with exactly those digits: the schema speaks of the wire.
const amount = rule<string>(
  { type: 'number', minimum: 0 },
  'a decimal of up to 15 digits and 6 decimals',
  value => typeof value === 'string' && decimalForm.test(value),
);

const msisdn = pattern(/^\+?[1-9]\d{6,14}$/, 'a number in international format');
// Card texts cannot hold a full card number (R-2.5-15).
const cardText = pattern(/^(?!.*\d{12})[^]{0,128}$/, 'text of at most 128 characters without a card number');

const address = rule<Record<string, unknown>>(
  { type: 'object', description: 'Passed through unchanged; at most 4 KiB as JSON.' },
  'an object of at most 4 KiB',
  value => isRecord(value) && Buffer.byteLength(JSON.stringify(value)) <= addressBytesMax,
);

const bankResponse = new RecordRule<BankResponse>({
  title: 'BankResponse',
  description: 'The answer of the bank; members are null when no bank was reached.',
  fields: {
    retrievalReferenceNumber: nullable(described('Bank RRN; as a number it has no leading zeros.', natural)),
    authCode: nullable(described('Issuer authorisation code.', text(32))),
    bankResponse: nullable(described('ISO response code.', text(32))),
    bankResponseMessage: nullable(text(255)),
  },
});

const cardInfo = new RecordRule<CardInfo>({
  title: 'CardInfo',
  description: 'BIN and last four digits only, never the full card number; members are null when no card was used.',
  fields: {
    cardType: nullable(described('For example VISA, MASTERCARD, AMEX, DINERS.', cardText)),
    accountType: nullable(oneOf(['DEBIT', 'CREDIT', 'CHEQUE'])),
    cardHolderName: nullable(cardText),
    bin: nullable(pattern(/^\d{6}$/, '6 digits')),
    last4: nullable(pattern(/^\d{4}$/, '4 digits')),
    binLast4: nullable(pattern(/^\d{6}-\d{4}$/, 'bin-last4')),
    cardIssuer: nullable(cardText),
  },
  across: card =>
    card.binLast4 === null || card.binLast4 === `${card.bin}-${card.last4}` ? null : 'binLast4: must be {bin}-{last4}',
});

const contactText = text(255);
const clientContact = new RecordRule<ClientContact>({
  title: 'ClientContact',
  description: 'Present if the code asked for contact data.',
  fields: {
    firstName: contactText,
    lastName: contactText,
    emailAddress: contactText,
    phoneNumber: contactText,
    country: contactText,
  },
});

/** Fields in the order of the document (2.5), which is the order they are written in. */
export const transactionNotificationV3 = new RecordRule<TransactionNotificationV3>({
  title: 'TransactionNotificationV3',
  description: 'The decrypted webhook body and the answer of getNotification.',
  fields: {
    transactionId: described('Internal transaction id; dedup key of receivers.', id),
    merchantId: id,
    merchantName: text(255),
    acquirer: described('Acquiring bank that processed the transaction.', text(128)),
    reference: described('The merchantReference given at createCode.', text(45)),
    amount: described('Exact decimal amount in currencyCode.', amount),
    currencyCode: described('ISO 4217 code.', pattern(/^[A-Z]{3}$/, 'an ISO 4217 code')),
    code: optional(described('The code value; only for code purchases.', pattern(/^\d{10}$/, '10 digits'))),
    status: notificationStatus,
    clientMsisdn: described('Customer mobile number.', msisdn),
    destination: optional(described('Destination MSISDN; only for airtime and VAS purchases.', msisdn)),
    extraReferenceName: nullable(text(255)),
    extraReferenceValue: nullable(text(255)),
    tipAmount: nullable(described('Tip portion, when requestTip was set.', amount)),
    referenceTransactionId: described('Original transaction of a refund or reversal, else 0.', natural),
    bankResponse,
    cardInfo,
    clientContact: optional(clientContact),
    clientBilling: nullable(address),
    clientShipping: nullable(address),
    versionData: new RecordRule<{ version: string }>({
      title: 'VersionData',
      description: 'Version envelope, independent of the payload version.',
      fields: { version: text(16) },
    }),
  },
});

/** JSON Schema 2020-12 of the wire form. */
export const transactionNotificationV3Schema = transactionNotificationV3.schema;
