/** How wrong credentials slow down the next try (T-05). */
export interface GuessRule {
  /** Failures that cost nothing: a person or a deployment gets its password wrong now and then. */
  freeFailures: number;
  /** Wait after the first failure beyond the free ones, in milliseconds; doubles with each further one. */
  delayFirstMs: number;
  /** Longest wait, in milliseconds. Short on purpose: an outsider must not be able to lock an account out for good. */
  delayMaxMs: number;
}

/** Failures are forgotten after this long without another one, in milliseconds. */
export const forgetAfterMs = 15 * 60_000;

/** Failures since the last success or the last quiet time. */
export interface GuessCount {
  failures: number;
  lastFailedAtMs: number;
}

/** The instant from which the next try is allowed, in epoch milliseconds; 0 when it is allowed at once. */
export function blockedUntilMs(count: GuessCount, rule: GuessRule): number {
  const beyond = count.failures - rule.freeFailures;
  if (beyond <= 0) return 0;
  // The exponent is capped so that a long attack cannot overflow the number.
  return count.lastFailedAtMs + Math.min(rule.delayMaxMs, rule.delayFirstMs * 2 ** Math.min(beyond - 1, 30));
}

/** Whole seconds until `untilMs`, at least 1: a Retry-After. */
export function retryAfterS(untilMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
}
