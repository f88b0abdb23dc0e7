import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

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
