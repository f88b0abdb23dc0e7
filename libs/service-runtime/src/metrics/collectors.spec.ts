import hooks from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { register } from 'prom-client';
import {
  collectProcessMetricsOnce,
  counter,
  gauge,
  histogram,
  lagSeconds,
  observeLoopLag,
  readForScrape,
  scrape,
  scrapedGauge,
} from './collectors';

const scraped = (name: string) => register.getSingleMetricAsString(name);

describe('collectors', () => {
  afterEach(() => register.clear());

  it('a second application of the process shares the counters, gauges and histograms of the first', async () => {
    const twice = <T>(create: () => T) => [create(), create()] as const;
    const [first, second] = twice(() => counter('made_total', 'Made.', ['kind']));
    first.inc({ kind: 'a' });
    second.inc({ kind: 'a' }, 2);
    expect(await scraped('made_total')).toContain('made_total{kind="a"} 3');
    for (const create of [() => gauge('depth', 'Depth.'), () => histogram('age_seconds', 'Age.', { buckets: [1, 2] })]) {
      const [one, other] = twice<unknown>(create);
      expect(one).toBe(other);
    }
    histogram('age_seconds', 'Age.', { buckets: [1, 2] }).observe(1.5);
    expect(await scraped('age_seconds')).toContain('age_seconds_bucket{le="2"} 1');
  });

  it('a gauge that is read when scraped uses the reader registered last', async () => {
    scrapedGauge({ name: 'held', help: 'Held.' }, each => each.set(1));
    scrapedGauge({ name: 'held', help: 'Held.', labelNames: ['kind'] }, async each => each.set({ kind: 'b' }, 2));
    expect(await scraped('held')).toContain('held{kind="b"} 2');
    expect(await scraped('held')).not.toContain(' 1');
  });
});

describe('a value that is read at each scrape', () => {
  it('has the value that was read', async () => {
    expect(await readForScrape(async () => 7, Number.NaN)).toBe(7);
  });

  it.each([
    ['never comes', () => new Promise<number>(() => undefined)],
    ['fails', () => Promise.reject(new Error('database away'))],
    ['cannot be asked for', () => { throw new Error('no pool'); }], // prettier-ignore
  ])('is unknown when the read %s; the scrape continues', async (_what, read: () => Promise<number>) => {
    expect(await readForScrape(read, Number.NaN)).toBeNaN();
  });
});

/** Turns of the event loop that took so many milliseconds. */
function turnsOf(...ms: number[]) {
  const turns = hooks.createHistogram();
  for (const each of ms) turns.record(each * 1e6);
  return turns;
}

const many = (count: number, ms: number) => Array.from({ length: count }, () => ms);
const block = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

describe('lag of the event loop', () => {
  afterEach(() => register.clear());

  it('thousands of short turns hide no long ones beside them: half a minute that was blocked four times lags', () => {
    const turns = turnsOf(...many(30_000, 1), ...many(4, 700));
    expect(lagSeconds(turns, 99, 30_000)).toBeCloseTo(0.7, 2);
    expect(lagSeconds(turns, 90, 30_000)).toBeCloseTo(0.001, 3);
  });

  it('a single long turn of half a minute is the longest, and no lag of one instant in a hundred', () => {
    expect(lagSeconds(turnsOf(...many(200, 1), 700), 99, 30_000)).toBeCloseTo(0.001, 3);
  });

  it('a process at rest does not lag, however few turns there were', () => {
    expect(lagSeconds(turnsOf(), 99, 30_000)).toBe(0);
    expect(lagSeconds(turnsOf(2, 2), 99, 30_000)).toBe(0);
  });

  it('each scrape begins a new period', async () => {
    const turns = turnsOf(...many(10, 600));
    let nowMs = 0;
    observeLoopLag(register, turns, () => nowMs);
    nowMs = 6_000;
    const read = await register.metrics();
    expect(read).toMatch(/^nodejs_eventloop_lag_p99_seconds 0\.6/m);
    expect(read).toMatch(/^nodejs_eventloop_lag_max_seconds 0\.6/m);
    expect(await register.metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds 0$/m);
  });

  it('waiting is no lag, a blocked turn is', async () => {
    collectProcessMetricsOnce();
    await pause(50);
    await scrape();
    for (let times = 0; times < 3; times++) {
      await pause(20);
      block(150);
    }
    await pause(100);
    const read = await scrape();
    expect(Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(read)?.[1])).toBeGreaterThanOrEqual(0.15);
    expect(read.match(/^nodejs_eventloop_lag_p99_seconds /gm)).toHaveLength(1);
  });

  it('no timer wakes a process to measure its lag', () => {
    const monitor = jest.spyOn(hooks, 'monitorEventLoopDelay');
    collectProcessMetricsOnce();
    const timers = monitor.mock.calls.filter(([options]) => !options?.samplePerIteration);
    expect(timers.map(([options]) => (options?.resolution ?? 10) / 86_400_000 > 20)).toEqual([true]);
    expect(monitor).toHaveBeenCalledTimes(2);
    monitor.mockRestore();
  });
});
