/** A process beside auth-session: a bare Fastify route as the floor, or the sender of one call at a steady rate. */
import { setTimeout as pause } from 'node:timers/promises';
import { fastify } from 'fastify';
import { Pool } from 'undici';
import type { Call } from './auth-calls.ts';
import { serveCalls } from './child-processes.ts';
import { percentile } from './report.ts';

/** A steady, open-loop load on one call. */
export interface SteadyLoad {
  call: Call;
  perSecond: number;
  durationS: number;
}

/** Latencies count from the time at which a request was due, so that a late request is counted with its delay. */
export interface SteadyResult {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
}

/** Requests that may wait for an answer. With more, the service does not keep up, and percentiles would only reflect the length of the run. */
const waitingMax = 2_000;
/** Share of the run that is not counted, because this process and its connections are still starting. */
const warmUpShare = 0.25;

/** Rejects when a request is not answered 200. */
async function steady({ call, perSecond, durationS }: SteadyLoad): Promise<SteadyResult> {
  const { origin, pathname: path } = new URL(call.url);
  const pool = new Pool(origin, { connections: 64 });
  const headers = { 'content-type': 'application/json', ...call.headers };
  const options = { path, method: call.method, headers, body: JSON.stringify(call.body) };
  const startMs = performance.now();
  const countedFromMs = startMs + durationS * warmUpShare * 1_000;
  const latenciesMs: number[] = [];
  let waiting = 0;
  const send = async (dueMs: number): Promise<void> => {
    waiting += 1;
    const answer = await pool.request(options);
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    if (dueMs >= countedFromMs) latenciesMs.push(performance.now() - dueMs);
    waiting -= 1;
  };
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
  return { count: latenciesMs.length, p50Ms, p90Ms, p99Ms };
}

/** A route that reads the same JSON and answers as many bytes, and does nothing else. Gives its URL. */
function serveBare(answer: unknown): Promise<string> {
  const app = fastify();
  app.post('/internal/authorize', () => answer);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

serveCalls({ steady, serveBare });
