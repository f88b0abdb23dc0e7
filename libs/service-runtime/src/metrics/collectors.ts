import { Counter, Gauge, Histogram } from 'prom-client';
import { registry } from './registry';

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

export interface HistogramForm<L extends string> {
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

export interface ScrapedGauge<L extends string> {
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
