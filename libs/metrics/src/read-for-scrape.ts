import { setTimeout as pause } from 'node:timers/promises';

/** Longest a scrape waits for one value that has to be asked for, in milliseconds. */
const readMsMax = 1_000;

/**
 * A value for a metric that is read when scraped. `unknown` stands for it when it cannot be had in time: a database that does not answer must
 * not take the other metrics with it, least of all then. NaN is Prometheus's word for it; no alert compares true with it.
 */
export async function readForScrape<T>(read: () => Promise<T>, unknown: T): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([read(), pause(readMsMax, unknown, { signal: over.signal })]);
  } catch {
    // Why it failed shows where the same source is asked for work.
    return unknown;
  } finally {
    over.abort();
  }
}
