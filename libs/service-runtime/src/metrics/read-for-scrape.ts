import { setTimeout as pause } from 'node:timers/promises';

/** A scrape waits at most this long for a value from another system, in milliseconds. */
const readMsMax = 1_000;

/**
 * Reads a value for a metric at scrape time. It returns `unknown` when the value is not available in time, because a database that does not
 * answer must not stop the other metrics, which matter most then. NaN is Prometheus's value for this; no alert compares true with it.
 */
export async function readForScrape<T>(read: () => Promise<T>, unknown: T): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([read(), pause(readMsMax, unknown, { signal: over.signal })]);
  } catch {
    // Other calls to the same source report the cause of the failure.
    return unknown;
  } finally {
    over.abort();
  }
}
