/** The next steps that the rules allow a delivery. */
export interface AttemptRules {
  /** POSTs per payment at most; only a crash of the dispatcher leads to a second one. 1 allows none. */
  attemptsMax: number;
  /** B: a payment that could not be sent for this long is closed, in milliseconds. */
  dispatchWindowMs: number;
}

/** Whether a POST before this one may have been acknowledged: then age alone must not reverse the payment (P-1.2-10). */
export function mayHaveBeenSent({ isReversible, attempt }: { isReversible: boolean; attempt: number }): boolean {
  return isReversible && attempt > 1;
}

/** Whether a delivery has waited longer than B without an attempt. */
export function isTooOld(ageMs: number, rules: Pick<AttemptRules, 'dispatchWindowMs'>): boolean {
  return ageMs > rules.dispatchWindowMs;
}
