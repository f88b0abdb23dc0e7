/**
 * Connect budget, acknowledgement window and margin (protocol P-T5). Only a nudge: safety does not rest on it, because a due timer
 * asks and never decides.
 */
export const timerDelayMs = 10_000 + 45_000 + 5_000;

/** After OPEN: an owner still holds the delivery (protocol 1.2). */
export const askAgainMs = 5_000;

/** After a close or a decision that the payment's own data fails: others wait for each try of it, and a person has to look first. */
export const askAsideAgainMs = 60_000;

/** After a dispatcher that could not be reached, or a database that did not answer: the timers wait, nothing is decided. */
export const retryAfterFaultMs = 1_000;
