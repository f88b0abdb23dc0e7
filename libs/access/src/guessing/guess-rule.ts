/** How tries under one key slow down the next ones (T-05). */
export interface GuessRule {
  /** Tries without a wait, because a person or a deployment sometimes has a wrong password. */
  freeTries: number;
  /** Wait after the first try beyond the free ones, in milliseconds; doubles with each further one. */
  delayFirstMs: number;
  /** Longest wait, in milliseconds. It is short, because a mistyped password may cost so much. */
  delayMaxMs: number;
  /** The count is dropped after this long, in milliseconds: since its last try, or since its first one. */
  memoryMs: number;
  memorySince: 'LAST_TRY' | 'FIRST_TRY';
}

/** The longest memory of any rule, in milliseconds. */
export const forgetAfterMs = 15 * 60_000;

/** Tries under one key that still count. */
export interface GuessCount {
  failures: number;
  lastFailedAtMs: number;
  forgetAtMs: number;
}

/** The instant from which the next try is counted instead of refused, in epoch milliseconds; 0 when it is counted at once. */
export function blockedUntilMs(count: GuessCount, rule: GuessRule): number {
  const beyond = count.failures - rule.freeTries;
  if (beyond <= 0) return 0;
  // The exponent is capped so that a long attack cannot overflow the number.
  const untilMs = count.lastFailedAtMs + Math.min(rule.delayMaxMs, rule.delayFirstMs * 2 ** Math.min(beyond - 1, 30));
  return Math.min(untilMs, count.forgetAtMs);
}

/** Whole seconds until `untilMs`, at least 1: a Retry-After. */
export function retryAfterS(untilMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
}

/** How every sign-in of the platform slows guesses down; how many tries are free is each one's own. */
export const guessDelays = {
  delayFirstMs: 1_000,
  delayMaxMs: 60_000,
  memoryMs: forgetAfterMs,
  memorySince: 'LAST_TRY',
} as const satisfies Omit<GuessRule, 'freeTries'>;
