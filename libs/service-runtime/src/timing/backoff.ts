export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
}

/**
 * Exponential wait after `failures` failures in a row, in milliseconds: `firstMs`, doubled each time up to `maxMs`, shortened by up to a half.
 * `chance` (0 to 1) says by how much. It is random, so that replicas do not retry at the same time; 0 gives the same wait every
 * time.
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits, chance = Math.random()): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return fullMs * (1 - chance / 2);
}
