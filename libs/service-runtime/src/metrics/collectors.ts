import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from 'prom-client';
import { withinTime } from '../timing/clock';
import { observeLoopLag } from './loop-lag';
import { isOneOfSeveral } from './several-services';

/** Where the collectors of this service are. Each service of a process that runs several has a registry of its own. */
const registry: Registry = isOneOfSeveral() ? new Registry() : register;

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

/**
 * Collectors by name. A registry refuses a name twice: a second application of a service in the process (tests) shares the counters and
 * histograms of the first, and takes over the gauges that are read when scraped.
 */
function collector<T>(name: string, create: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? create();
}

export function counter<L extends string = string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
  return collector(name, () => new Counter({ name, help, labelNames, registers: [registry] }));
}

/** A gauge that is set where its value changes. */
export function gauge<L extends string = string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
  return collector(name, () => new Gauge({ name, help, labelNames, registers: [registry] }));
}

interface HistogramForm<L extends string> {
  /** Upper bounds, ascending. */
  buckets: readonly number[];
  labelNames?: readonly L[];
}

export function histogram<L extends string = string>(
  name: string,
  help: string,
  { buckets, labelNames = [] }: HistogramForm<L>,
): Histogram<L> {
  return collector(name, () => new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] }));
}

interface ScrapedGauge<L extends string> {
  name: string;
  help: string;
  labelNames?: readonly L[];
}

/** A gauge whose values `collect` sets at each scrape. The last caller for a name supplies the values. */
export function scrapedGauge<L extends string = string>(
  { name, help, labelNames = [] }: ScrapedGauge<L>,
  collect: (gauge: Gauge<L>) => void | Promise<void>,
): void {
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      return collect(this);
    },
  });
}

/** A scrape waits at most this long for a value from another system, in milliseconds. */
const readMsMax = 1_000;

/**
 * Reads a value for a metric at scrape time. It returns `unknown` when the value is not available in time, because a database that does not
 * answer must not stop the other metrics, which matter most then. NaN is Prometheus's value for this; no alert compares true with it.
 */
export async function readForScrape<T>(read: () => Promise<T>, unknown: T): Promise<T> {
  try {
    return await withinTime(read(), readMsMax, 'scrape');
  } catch {
    // Other calls to the same source report the cause of the failure.
    return unknown;
  }
}
