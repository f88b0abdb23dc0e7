/** The 19 named values of spec 3.2, in its order and spelling (R-3.2-1, R-3.2-2). */
export const namedNotificationStatuses = [
  'SUCCESS',
  'CLIENT_CANCEL',
  'CLIENT_TIMEOUT',
  'BANK_OFFLINE',
  'BANK_REJECTED',
  'TRANSACTION_REJECTED',
  'SYSTEM_ERROR',
  'REVERSED',
  'REFUNDED',
  'LIMIT_FAILED',
  'HASH_CHECK_FAILED',
  'HASH_CHECK_MISSING',
  'BANK_PAYMENT_CANCELLATION',
  'DO_NOT_TRY_AGAIN',
  'TRY_AGAIN_AFTER_X_HRS',
  'CARD_EXPRIY_NOT_ALLOWED',
  'INTERNATIONAL_BIN_NOT_ALLOWED',
  'BIN_CLASSIFICATION_NOT_ALLOWED',
  'FAILED',
] as const;

export type NamedNotificationStatus = (typeof namedNotificationStatuses)[number];

/** A named status, or a step timeout of a WIG / USSD flow. */
export type NotificationStatus = NamedNotificationStatus | `TIMEOUT_${string}`;

const stepTimeout = /^TIMEOUT_[A-Z0-9_]{1,48}$/;

export function isNotificationStatus(value: unknown): value is NotificationStatus {
  if (typeof value !== 'string') return false;
  return (namedNotificationStatuses as readonly string[]).includes(value) || stepTimeout.test(value);
}
