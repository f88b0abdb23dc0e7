/** What a person may choose on the payment page: the TxState and what it means in words. */
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
] as const;

export type Outcome = (typeof outcomes)[number][0];

export const outcomeStates: readonly string[] = outcomes.map(([state]) => state);
