/** Load on one call, and what came of it. */
import autocannon from 'autocannon';
import { cpuUsOf } from '../bench/process-usage.ts';
import type { Call } from './client.ts';

export interface Load {
  call: Call;
  connections: number;
  durationS: number;
  /** Requests per second in all; as many as possible when omitted. */
  rate?: number;
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

export async function load({ call, connections, durationS, rate, pid }: Load): Promise<Measured> {
  const cpuBeforeUs = cpuUsOf(pid);
  const result = await autocannon({
    url: call.url,
    method: call.method,
    connections,
    duration: durationS,
    headers: { 'content-type': 'application/json', ...call.headers },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    ...(rate === undefined ? {} : { overallRate: rate }),
  });
  const cpuUs = (cpuUsOf(pid) - cpuBeforeUs) / result.requests.total;
  const classes = { '2xx': result['2xx'], '4xx': result['4xx'], '5xx': result['5xx'], errors: result.errors };
  const answers = Object.entries(classes)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(' ');
  return { perSecond: result.requests.average, cpuUs, p50Ms: result.latency.p50, p99Ms: result.latency.p99, answers };
}
