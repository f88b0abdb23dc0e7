/** A steady, open-loop load on one call. */
import { join } from 'node:path';
import { firstMatch, startNode } from '../bench/child-processes.ts';
import type { Call } from './client.ts';

export interface SteadyLoad {
  call: Call;
  perSecond: number;
  durationS: number;
}

/**
 * Latencies count from the time at which a request was due, so that a late request is counted with its delay. The first quarter is not
 * counted.
 */
export interface SteadyResult {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
}

/** Rejects when a request is not answered 200. */
export async function steadyLoad(load: SteadyLoad): Promise<SteadyResult> {
  const child = startNode(join(import.meta.dirname, 'steady.main.ts'), [JSON.stringify(load)]);
  const [line] = await firstMatch(child, /^\{.*\}$/m);
  return JSON.parse(line) as SteadyResult;
}
