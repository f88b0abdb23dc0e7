import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when that much time has passed, or as soon as `signal` aborts. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
