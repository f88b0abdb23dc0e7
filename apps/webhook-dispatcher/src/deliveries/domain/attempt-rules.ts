import type { AttemptOutcome, Delivery, Next } from './delivery';

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

/** A zone that fails for this long is the receiver's connection error: as long as a receiver may take to answer, in milliseconds (P-T8). */
const zoneGraceMs = 45_000;

/**
 * The outcome that counts. Name servers that fail for a zone are a fault of ours at first, because they may be back in a moment, and the
 * receiver's later.
 */
export function chargedOutcome(
  outcome: AttemptOutcome,
  { zoneFailedMs }: Pick<Delivery, 'zoneFailedMs'>,
  nowMs: number,
): AttemptOutcome {
  if (!isZoneFailure(outcome) || zoneFailedMs === null || nowMs - zoneFailedMs < zoneGraceMs) return outcome;
  return { kind: 'CONNECTION', code: outcome.code, elapsedMs: null };
}

/** Whether every name server failed for the receiver's zone, and not for others. */
export function isZoneFailure(outcome: AttemptOutcome): outcome is AttemptOutcome & { kind: 'OUR_FAULT' } {
  return outcome.kind === 'OUR_FAULT' && outcome.code === 'ZONE_FAILED';
}

/** An open delivery found after its owner was gone. */
export interface FoundDelivery {
  isReversible: boolean;
  /** Attempts that were claimed: each may have reached the receiver. */
  attemptsClaimed: number;
  ageMs: number;
}

/**
 * A merchant may have acknowledged a claimed attempt with a 200 that was lost with its process: POST again, at most `attemptsMax` times in
 * all. An unclaimed delivery was never sent: it gets a new attempt while it is younger than B. Informational deliveries move
 * no money and are delivered whatever their age.
 */
export function planAttempt(found: FoundDelivery, rules: AttemptRules): Next<'ATTEMPT' | 'CLOSE'> {
  const attempt = found.attemptsClaimed + 1;
  if (!found.isReversible) return { next: 'ATTEMPT', attempt };
  if (found.attemptsClaimed === 0) {
    return isTooOld(found.ageMs, rules) ? { next: 'CLOSE', kind: 'CLOSED_BACKSTOP' } : { next: 'ATTEMPT', attempt };
  }
  return attempt > rules.attemptsMax ? { next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' } : { next: 'ATTEMPT', attempt };
}

/**
 * How long a pause may be, and how long after it the same endpoint may be paused again. B is not stopped by a pause: what has waited that long is
 * closed. A pause of two thirds of B leaves the last third for sending what waited. After a rest of B, nothing that came before the
 * pause ended can still wait, so no payment is kept by two pauses.
 */
export function pauseLimitsOf({ dispatchWindowMs }: Pick<AttemptRules, 'dispatchWindowMs'>): PauseLimits {
  return { durationSMax: Math.floor(dispatchWindowMs / 1_500), restS: Math.ceil(dispatchWindowMs / 1_000) };
}

export interface PauseLimits {
  durationSMax: number;
  restS: number;
}

/**
 * Pauses after consecutive failures: 100 ms, doubling, at most 5 s. They need no jitter, because one process retries for all its payments
 * together.
 */
export const retryLimits = { firstMs: 100, maxMs: 5_000 };
