import type { AttemptRules } from '../../deliveries/domain/attempt-rules';

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
