/** Load on one call, and its result. */
import { join } from 'node:path';
import autocannon from 'autocannon';
import { firstMatch, startNode } from '../bench/child-processes.ts';
import { cpuUsOf } from '../bench/meters.ts';
import type { Call } from './client.ts';

interface Load {
  call: Call;
  connections: number;
  durationS: number;
  /** Number of client addresses that the requests use in turn; one when omitted. */
  addresses?: number;
  /** Process whose CPU time is charged to the requests. */
  pid: number;
}

export interface Measured {
  perSecond: number;
  /** CPU of the process per request, in microseconds; NaN where the system does not tell. */
  cpuUs: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by class: `2xx`, `4xx`, … */
  answers: string;
}

/** As the gateway passes them on, of the range for benchmarks (RFC 2544). */
function requestsFrom(addresses: number, headers: Record<string, string>) {
  return Array.from({ length: addresses }, (_, i) => ({
    headers: { ...headers, 'x-forwarded-for': `198.18.${Math.floor(i / 256)}.${i % 256}` },
  }));
}

export async function load({ call, connections, durationS, addresses, pid }: Load): Promise<Measured> {
  const cpuBeforeUs = cpuUsOf(pid);
  const headers = { 'content-type': 'application/json', ...call.headers };
  const result = await autocannon({
    url: call.url,
    method: call.method,
    connections,
    duration: durationS,
    headers,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(addresses === undefined ? {} : { requests: requestsFrom(addresses, headers) }),
  });
  const cpuUs = (cpuUsOf(pid) - cpuBeforeUs) / result.requests.total;
  const classes = { '2xx': result['2xx'], '4xx': result['4xx'], '5xx': result['5xx'], errors: result.errors };
  const answers = Object.entries(classes)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(' ');
  return { perSecond: result.requests.average, cpuUs, p50Ms: result.latency.p50, p99Ms: result.latency.p99, answers };
}

/** A steady, open-loop load on one call. */
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
