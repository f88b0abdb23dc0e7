import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register, Registry } from 'prom-client';
import { withinTime } from '../timing/clock';
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

/** The percentiles count as a timer of this interval would, in milliseconds. */
const slotMs = 100;
const longest = 'nodejs_eventloop_lag_max_seconds';
const shares = [50, 90, 99].map(percent => ({ percent, name: `nodejs_eventloop_lag_p${percent}_seconds` }));

/** How long turns of the event loop took without their wait for input, in nanoseconds. */
export interface LoopTurns {
  readonly count: number;
  readonly max: number;
  percentile(percent: number): number;
  reset(): void;
}

/**
 * The lag that `percent` of a period's instants see, in seconds: a timer of 100 ms would have been later in no more than the others of its runs. It
 * counts runs and not turns, so that the thousand short turns of a busy second do not hide the long one beside them.
 */
export function lagSeconds(turns: LoopTurns, percent: number, periodMs: number): number {
  const longer = ((1 - percent / 100) * periodMs) / slotMs;
  if (longer >= turns.count) return 0;
  return turns.percentile(100 * (1 - longer / turns.count)) / 1e9;
}

/**
 * Replaces prom-client's gauges of the lag. They measure it with a timer, which wakes an idle process; these look at turns of the event
 * loop that happen anyway. Each scrape begins a new period.
 */
export function observeLoopLag(registry: Registry, turns: LoopTurns = watchTurns(), nowMs = () => performance.now()): void {
  let sinceMs = nowMs();
  const metrics = registry.getMetricsAsArray().map(({ name }) => name);
  for (const name of metrics) if (name.startsWith('nodejs_eventloop_lag_')) registry.removeSingleMetric(name);
  const gauges: { percent: number; gauge: Gauge }[] = [];
  // Registered first, because a scrape reads in this order.
  new Gauge({
    name: longest,
    help: 'The longest turn of the event loop since the last scrape.',
    registers: [registry],
    collect() {
      const periodMs = nowMs() - sinceMs;
      sinceMs += periodMs;
      this.set(turns.count === 0 ? 0 : turns.max / 1e9);
      for (const { percent, gauge } of gauges) gauge.set(lagSeconds(turns, percent, periodMs));
      turns.reset();
    },
  });
  for (const { percent, name } of shares) {
    const help = `A timer of ${slotMs} ms is late by at most this time in ${percent} of 100 runs.`;
    gauges.push({ percent, gauge: new Gauge({ name, help, registers: [registry] }) });
  }
}

function watchTurns(): LoopTurns {
  const turns = monitorEventLoopDelay({ samplePerIteration: true });
  turns.enable();
  // The first turn counts from here, with its wait.
  setTimeout(() => turns.reset(), 0).unref();
  return turns;
}
