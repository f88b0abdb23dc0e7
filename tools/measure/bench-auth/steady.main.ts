/** Sends one call at a steady rate, independent of the answers, from a separate process; prints the result as a line of JSON. */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../bench/report.ts';
import type { SteadyLoad, SteadyResult } from './load.ts';

/**
 * Requests that may wait for an answer. With more, the service does not keep up, and percentiles would only reflect the length of the
 * run.
 */
const waitingMax = 2_000;
/** Share of the run that is not counted, because this process and its connections are still starting. */
const warmUpShare = 0.25;

const { call, perSecond, durationS } = JSON.parse(process.argv[2]!) as SteadyLoad;
const { origin, pathname } = new URL(call.url);
const pool = new Pool(origin, { connections: 64 });
const headers = { 'content-type': 'application/json', ...call.headers };
const body = JSON.stringify(call.body);
const latenciesMs: number[] = [];
let waiting = 0;

async function send(dueMs: number): Promise<void> {
  waiting += 1;
  const answer = await pool.request({ path: pathname, method: call.method, headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  if (dueMs >= countedFromMs) latenciesMs.push(performance.now() - dueMs);
  waiting -= 1;
}

const startMs = performance.now();
const countedFromMs = startMs + durationS * warmUpShare * 1_000;
const sent: Promise<void>[] = [];
while (sent.length < perSecond * durationS) {
  const dueMs = startMs + (sent.length * 1_000) / perSecond;
  if (dueMs > performance.now()) await pause(1);
  else sent.push(send(dueMs));
  if (waiting > waitingMax) throw new Error(`${waitingMax} requests wait for an answer`);
}
await Promise.all(sent);
await pool.close();
const [p50Ms, p90Ms, p99Ms] = [0.5, 0.9, 0.99].map(share => percentile(latenciesMs, share)) as [number, number, number];
const result: SteadyResult = { count: latenciesMs.length, p50Ms, p90Ms, p99Ms };
process.stdout.write(`${JSON.stringify(result)}\n`);
