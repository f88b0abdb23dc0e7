import type { NamedNotificationStatus } from '@paycode/dto';

/** How a payment on the page can end; a refund or reversal is no payment. */
export type PaymentStatus = Exclude<NamedNotificationStatus, 'REFUNDED' | 'REVERSED'> | 'TIMEOUT_PURCHASE';

/** What the page says. `{name}` is a place that is filled. */
export interface Messages {
  /** The language's name in itself. */
  language: string;
  payTitle: string;
  amount: string;
  tip: string;
  tipOptional: string;
  total: string;
  reference: string;
  code: string;
  payBy: string;
  mobile: string;
  mobileHint: string;
  contact: string;
  firstName: string;
  lastName: string;
  emailAddress: string;
  phoneNumber: string;
  country: string;
  chooseCountry: string;
  pay: string;
  paying: string;
  qr: string;
  needsScript: string;
  used: string;
  expired: string;
  unknownTitle: string;
  unknown: string;
  sandbox: string;
  sandboxHint: string;
  outcome: string;
  receipt: string;
  paidTo: string;
  paidAt: string;
  transaction: string;
  keep: string;
  notPaid: string;
  noMoney: string;
  correct: string;
  tipForm: string;
  tipDecimals: string;
  tipNoDecimals: string;
  mobileForm: string;
  missing: string;
  emailForm: string;
  refusedField: string;
  noLongerPayable: string;
  tooMany: string;
  noAnswer: string;
  refused: string;
  statuses: Readonly<Record<PaymentStatus, string>>;
}
