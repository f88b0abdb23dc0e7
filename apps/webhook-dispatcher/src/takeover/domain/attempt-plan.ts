import { type AttemptRules, isTooOld } from '../../deliveries/domain/attempt-rules';

/** An open delivery found after its owner was gone. */
export interface FoundDelivery {
  isReversible: boolean;
  /** Attempts that were claimed: each may have reached the receiver. */
  attemptsClaimed: number;
  ageMs: number;
}

export type AttemptPlan = { next: 'ATTEMPT'; attempt: number } | { next: 'CLOSE'; kind: 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP' };

/**
 * A merchant may have acknowledged a claimed attempt with a 200 that was lost with its process: POST again, at most `attemptsMax` times in
 * all. An unclaimed delivery was never sent: it gets a new attempt while it is younger than B. Informational deliveries move
 * no money and are
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
