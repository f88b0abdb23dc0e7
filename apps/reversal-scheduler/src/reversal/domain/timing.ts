/**
 * Connect budget, acknowledgement window and margin (P-T5). Safety does not depend on this value, because a due timer only asks
 * and never decides.
 */
export const timerDelayMs = 10_000 + 45_000 + 5_000;

/** After OPEN: an owner still holds the delivery (protocol 1.2). */
export const askAgainMs = 5_000;

/**
 * Pause after a close or a decision that failed because of the payment's own data. It is long, because other payments wait for each
 * try, and an operator must act first.
 */
export const askParkedAgainMs = 60_000;

/** Pause when the dispatcher could not be reached or the database did not answer: the timers wait, and nothing is decided. */
export const retryAfterFaultMs = 1_000;
