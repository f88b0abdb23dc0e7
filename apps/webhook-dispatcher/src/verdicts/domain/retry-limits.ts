/**
 * Pauses after consecutive failures: 100 ms, doubling, at most 5 s. They need no jitter, because one process retries for all its payments
 * together.
 */
export const retryLimits = { firstMs: 100, maxMs: 5_000 };
