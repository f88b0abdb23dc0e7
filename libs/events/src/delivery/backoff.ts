import { setTimeout as sleep } from 'node:timers/promises';

export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
}

/** Exponential delay before try number `failures` + 1, halved at random so that replicas do not retry in step. */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

/** Sleeps, or less when `signal` aborts. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
