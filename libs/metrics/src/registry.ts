import { collectDefaultMetrics, register, Registry } from 'prom-client';
import { isOneOfSeveral } from './several-services';

/** Where the collectors of this service are. Each service of a process that runs several has a registry of its own. */
export const registry: Registry = isOneOfSeveral() ? new Registry() : register;

/**
 * Each measurement of the event loop's lag wakes the process: one every 10 ms, which is prom-client's own choice, costs an idle process six times
 * the processor time of one every 100 ms. `nodejs_eventloop_lag_*` includes it.
 */
const lagResolutionMs = 100;

/** Metrics of the process itself, once in it. */
export function collectProcessMetricsOnce(): void {
  if (!register.getSingleMetric('process_cpu_seconds_total'))
    collectDefaultMetrics({ eventLoopMonitoringPrecision: lagResolutionMs });
}

export const metricsContentType = register.contentType;

/** What a scrape reads: of this service and of its process. */
export async function scrape(): Promise<string> {
  const own = await registry.metrics();
  return registry === register ? own : `${await register.metrics()}\n${own}`;
}
