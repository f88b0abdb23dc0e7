/** What a person may choose on the payment page, so that every status of a purchase can be tried: the TxState and what it means in words. */
export const outcomes = [
  ['SUCCESS', 'Payment succeeds'],
  ['END_BANK_DECLINE', 'Bank declines'],
  ['END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT', 'Insufficient funds'],
  ['END_BANK_OFFLINE', 'Bank cannot be reached'],
  ['END_CLIENT_CANCEL', 'Customer cancels'],
  ['END_CLIENT_TIMEOUT', 'Customer does not finish in time'],
  ['END_LIMIT_FAILED', 'Limit exceeded'],
  ['END_NOTALLOW_BIN_CLASSIFICATION', 'Card not allowed by its classification'],
  ['END_TIMEOUT_PURCHASE', 'A step times out'],
  ['END_SYSTEM_ERROR', 'System error'],
  ['END_INVALID_AMOUNT', 'Transaction rejected'],
  ['END_HASH_CHECK_FAILED', 'Hash check fails'],
  ['END_HASH_CHECK_MISSING', 'Hash check missing'],
  ['END_BANK_PAYMENT_CANCELLATION', 'Bank cancels'],
  ['END_DO_NOT_TRY_AGAIN', 'Bank forbids another try'],
  ['END_TRY_AGAIN_AFTER_X_HRS', 'Bank allows another try after some hours'],
  ['END_CARD_EXPRIY_NOT_ALLOWED', 'Expiry of the card not allowed'],
  ['END_INTERNATIONAL_BIN_NOT_ALLOWED', 'International card not allowed'],
  ['END_FAILED', 'Payment fails for another reason'],
] as const;

export type Outcome = (typeof outcomes)[number][0];

export const outcomeStates: readonly string[] = outcomes.map(([state]) => state);
