/** Pauses before the next try of ours after failures in a row: 100 ms, doubling, at most 5 s; not at random, one process tells for all its payments. */
export const retryLimits = { firstMs: 100, maxMs: 5_000 };
