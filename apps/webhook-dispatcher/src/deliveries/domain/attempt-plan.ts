/** What the rules allow a delivery to do next. */
export interface AttemptRules {
  /** POSTs per payment; more than one only after a crash of ours. 1 gives the strict reading. */
  attemptsMax: number;
  /** B: a payment that could not be sent for this long is closed, in milliseconds. */
  dispatchWindowMs: number;
}

/** An open delivery found after its owner was gone. */
export interface FoundDelivery {
  isReversible: boolean;
  /** Attempts that were claimed: each may have reached the receiver. */
  attemptsClaimed: number;
  ageMs: number;
}

export type AttemptPlan = { next: 'ATTEMPT'; attempt: number } | { next: 'CLOSE'; kind: 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP' };

/**
 * A claimed attempt may have been acknowledged with a 200 that died with its process: POST again, at most `attemptsMax` in all.
 * One that was never claimed was never sent: a fresh attempt while it is younger than B. Notices move no money and are
 * delivered whatever their age.
 */
export function planAttempt(found: FoundDelivery, rules: AttemptRules): AttemptPlan {
  const attempt = found.attemptsClaimed + 1;
  if (!found.isReversible) return { next: 'ATTEMPT', attempt };
  if (found.attemptsClaimed === 0) {
    return isTooOld(found.ageMs, rules) ? { next: 'CLOSE', kind: 'CLOSED_BACKSTOP' } : { next: 'ATTEMPT', attempt };
  }
  return attempt > rules.attemptsMax ? { next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' } : { next: 'ATTEMPT', attempt };
}

/** Whether a POST before this one may have been acknowledged: then age alone must not reverse the payment (row 10). */
export function mayHaveBeenSent({ isReversible, attempt }: { isReversible: boolean; attempt: number }): boolean {
  return isReversible && attempt > 1;
}

/** Whether a delivery has waited longer than B without an attempt. */
export function isTooOld(ageMs: number, rules: Pick<AttemptRules, 'dispatchWindowMs'>): boolean {
  return ageMs > rules.dispatchWindowMs;
}
