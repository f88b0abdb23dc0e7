import type { NotificationStatus } from './notification-status';

/**
 * The decrypted webhook body and the getNotification answer (spec 2.5). Amounts are exact decimals: in memory they are strings
 * of digits, on the wire JSON numbers with exactly those digits; `serializeNotification` is the only writer.
 */
export interface TransactionNotificationV3 {
  transactionId: number;
  merchantId: number;
  merchantName: string;
  acquirer: string;
  reference: string;
  /** Exact decimal in currencyCode, e.g. "110.10". */
  amount: string;
  currencyCode: string;
  /** 10 digits; omitted when it does not apply. */
  code?: string;
  status: NotificationStatus;
  clientMsisdn: string;
  destination?: string;
  extraReferenceName: string | null;
  extraReferenceValue: string | null;
  tipAmount: string | null;
  referenceTransactionId: number;
  bankResponse: BankResponse;
  cardInfo: CardInfo;
  clientContact?: ClientContact;
  clientBilling: Record<string, unknown> | null;
  clientShipping: Record<string, unknown> | null;
  versionData: { version: string };
}

/** Members are null when no bank was reached. */
export interface BankResponse {
  retrievalReferenceNumber: number | null;
  authCode: string | null;
  bankResponse: string | null;
  bankResponseMessage: string | null;
}

/** BIN and last four digits only, never a full PAN (R-2.5-15). */
export interface CardInfo {
  cardType: string | null;
  accountType: 'DEBIT' | 'CREDIT' | 'CHEQUE' | null;
  cardHolderName: string | null;
  bin: string | null;
  last4: string | null;
  binLast4: string | null;
  cardIssuer: string | null;
}

export interface ClientContact {
  firstName: string;
  lastName: string;
  emailAddress: string;
  phoneNumber: string;
  country: string;
}
