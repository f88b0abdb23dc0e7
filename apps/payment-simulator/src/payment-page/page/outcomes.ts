/** What a person may choose on the payment page, so that every status of a purchase can be tried: its TxState. */
export const outcomeStates = [
  'SUCCESS',
  'END_BANK_DECLINE',
  'END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT',
  'END_BANK_OFFLINE',
  'END_CLIENT_CANCEL',
  'END_CLIENT_TIMEOUT',
  'END_LIMIT_FAILED',
  'END_NOTALLOW_BIN_CLASSIFICATION',
  'END_TIMEOUT_PURCHASE',
  'END_SYSTEM_ERROR',
  'END_INVALID_AMOUNT',
  'END_HASH_CHECK_FAILED',
  'END_HASH_CHECK_MISSING',
  'END_BANK_PAYMENT_CANCELLATION',
  'END_DO_NOT_TRY_AGAIN',
  'END_TRY_AGAIN_AFTER_X_HRS',
  'END_CARD_EXPRIY_NOT_ALLOWED',
  'END_INTERNATIONAL_BIN_NOT_ALLOWED',
  'END_FAILED',
] as const;

export type Outcome = (typeof outcomeStates)[number];
