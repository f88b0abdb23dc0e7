import type { ReadsIn } from './people';

/** Rules by which the portal mails its people; each person switches each of them on or off. */
export const alertRules = ['RECEIVER', 'REVERSED', 'CERTIFICATE', 'KEY'] as const;
export type AlertRule = (typeof alertRules)[number];

/** A rule as one person has it. */
export interface AlertChoice {
  rule: AlertRule;
  isOn: boolean;
}

/**
 * The mails of the rules. RECEIVER has one at the beginning of a failure, and one at its end. NEW_DEVICE has no rule: nobody switches it off.
 * STATEMENT has none either: a person chooses it beside the statements.
 */
export const alertKinds = [
  'RECEIVER_FAILS',
  'RECEIVER_WORKS',
  'REVERSED',
  'NEW_DEVICE',
  'CERTIFICATE_ENDS',
  'KEY_OLD',
  'STATEMENT',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/**
 * POST recipient-messages /internal/recipient-messages/alerts, with an assertion of the alert: who is mailed, and the secret that ends such mails.
 * It holds numbers and words of these lists, and no text that a payer or a person chose. Idempotent by alert. Answer: 204 once it is stored.
 */
export interface PortalAlert {
  kind: AlertKind;
  /** null: several merchants. */
  merchantId: number | null;
  /** Payments that went back to customers. */
  payments: number;
  /**
   * The first of them, the beginning of the failure that is over, the sign-in, the end of the certificate, when the key was made, or when the
   * statement was. ISO 8601 UTC.
   */
  sinceAt: string;
  /** The money that went back, by currency; at most `alertSumsMax`. */
  sums: AlertSum[];
  /** Of NEW_DEVICE. */
  device?: AlertDevice;
  /** Of STATEMENT. */
  statement?: MailedStatement;
}

/** The money of an account in a day or a month of a time zone. */
export interface MailedStatement {
  /** `2026-11-27` or `2026-11`. */
  period: string;
  /** Such as `Africa/Johannesburg`. */
  timeZone: string;
  /** By currency, at most `statementTotalsMax`; empty: nothing was paid or refunded. */
  totals: StatementSums[];
}

export interface StatementPart {
  count: number;
  /** With the decimals of the currency. */
  amount: string;
}

/** Money of one currency. `paid` is `settled`, `reversed` and `waiting` together; a refund counts on its own day. */
export interface StatementSums {
  currencyCode: string;
  paid: StatementPart;
  settled: StatementPart;
  reversed: StatementPart;
  waiting: StatementPart;
  refunded: StatementPart;
  /** Contained in the settled amount. */
  tips: string;
}

/** More than there are currencies. */
export const statementTotalsMax = 200;

export const alertBrowsers = ['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari', 'another browser'] as const;
export const alertSystems = ['Android', 'iOS', 'Linux', 'macOS', 'Windows', 'another system'] as const;

/** As a browser says of itself. */
export interface AlertDevice {
  browser: (typeof alertBrowsers)[number];
  system: (typeof alertSystems)[number];
  /** The first three parts of its internet address, or less; empty when unknown. */
  addressStart: string;
}

export interface AlertSum {
  currencyCode: string;
  /** Exact decimal. */
  amount: string;
}

export const alertSumsMax = 20;

/** A person or an address that is mailed. */
export interface Addressee extends Partial<ReadsIn> {
  email: string;
}

/** POST recipient-messages /internal/recipient-messages/notices. At most 100 items; idempotent by noticeId. Answer: 204 once they are stored. */
export interface ChangeNotice {
  /** UUID. */
  noticeId: string;
  merchantId: number;
  kind: ChangeNoticeKind;
  /** Recipients of the notice; at most 100. */
  to: Addressee[];
  /** Author of the change: a username, or `operator`. */
  actor: string;
  /** ISO 8601 UTC. */
  occurredAt: string;
}

/** Changes of a merchant's notifications that its EMAIL recipients and the owners of merchant and PSP are told of (T-15). */
export const changeNoticeKinds = [
  'URL_CHANGED',
  'KEY_CHANGED',
  'CREDENTIAL_CHANGED',
  'URL_REMOVED',
  'RECIPIENT_ADDED',
  'RECIPIENT_REMOVED',
] as const;

export type ChangeNoticeKind = (typeof changeNoticeKinds)[number];
