import { collectDefaultMetrics, register, Registry } from 'prom-client';
import { observeLoopLag } from './loop-lag';
import { isOneOfSeveral } from './several-services';

/** Where the collectors of this service are. Each service of a process that runs several has a registry of its own. */
export const registry: Registry = isOneOfSeveral() ? new Registry() : register;

/** prom-client cannot leave its own measurement out; its timer never fires. */
const neverMs = 2 ** 31 - 1;

/** Metrics of the process itself, once in it. */
export function collectProcessMetricsOnce(): void {
  if (register.getSingleMetric('process_cpu_seconds_total')) return;
  collectDefaultMetrics({ eventLoopMonitoringPrecision: neverMs });
  observeLoopLag(register);
}

export const metricsContentType = register.contentType;

/** The text of a scrape: the metrics of this service and of its process. */
export async function scrape(): Promise<string> {
  const own = await registry.metrics();
  return registry === register ? own : `${await register.metrics()}\n${own}`;
}
