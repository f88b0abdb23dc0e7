const firstMs = 100;
const mostMs = 5_000;

/** Pause before the next try of ours after `failures` failures in a row: 100 ms, doubling, at most 5 s. */
export function retryDelayMs(failures: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(16, Math.max(0, failures - 1)));
}
