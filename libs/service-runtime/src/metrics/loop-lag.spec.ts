import hooks from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { register } from 'prom-client';
import { lagSeconds, observeLoopLag } from './loop-lag';
import { collectProcessMetricsOnce, scrape } from './collectors';

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
