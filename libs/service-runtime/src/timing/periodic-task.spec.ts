import { backoffMs, PeriodicJob, PeriodicTask, type PeriodicTaskOptions } from './periodic-task';

/** A run that ends when the test ends it, and the signal it was given. */
interface Run {
  signal: AbortSignal;
  end(waitMs?: number): void;
  fail(error: Error): void;
}

const made: PeriodicTask[] = [];
/** Stops tasks that a failed test left running. */
afterEach(() => made.splice(0).forEach(task => void task.stop()));

/** A task whose runs are ended by hand. `next` resolves with the next run. */
function started(options: Partial<PeriodicTaskOptions> = {}) {
  const waiting: ((run: Run) => void)[] = [];
  const failures: unknown[] = [];
  let count = 0;
  const work = (signal: AbortSignal) =>
    new Promise<number | void>((end, fail) => {
      count++;
      waiting.shift()?.({ signal, end, fail });
    });
  const task = new PeriodicTask(work, { everyMs: 1, failed: error => failures.push(error), ...options });
  made.push(task);
  const next = () => new Promise<Run>(resolve => waiting.push(resolve));
  return { task, next, failures, runs: () => count };
}

describe('a periodic task', () => {
  it('runs at once and again after each pause, one run at a time', async () => {
    const { task, next, runs } = started();
    const first = next();
    task.start();
    const run = await first;
    expect(runs()).toBe(1);
    const second = next();
    run.end();
    (await second).end();
    await task.stop();
    expect(runs()).toBeGreaterThanOrEqual(2);
  });

  it('begins its first run at once, and the next one after a run that wants no pause', async () => {
    const { task, next, runs } = started({ everyMs: 86_400_000 });
    const [first, second] = [next(), next()];
    task.start();
    expect(runs()).toBe(1);
    (await first).end(0);
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    expect(runs()).toBe(2);
    (await second).end();
    await task.stop();
  });

  it('ends its pause when it is woken, and leaves out the next one when it is woken during a run', async () => {
    const { task, next } = started({ everyMs: 86_400_000, firstAfterMs: 86_400_000 });
    const runs = [next(), next()];
    task.start();
    task.wake();
    const first = await runs[0]!;
    task.wake();
    first.end();
    (await runs[1]!).end();
    await task.stop();
  });

  it('a task that was woken pauses again after one run', async () => {
    const { task, next, runs } = started({ everyMs: 86_400_000 });
    const first = next();
    task.start();
    const second = next();
    task.wake();
    (await first).end();
    (await second).end();
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    await task.stop();
    expect(runs()).toBe(2);
  });

  it('continues after a run that failed, and reports the failure', async () => {
    const { task, next, failures } = started({ everyMs: 86_400_000, afterFaultMs: 1 });
    const first = next();
    task.start();
    const second = next();
    (await first).fail(new Error('database down'));
    (await second).end();
    await task.stop();
    expect(failures).toEqual([new Error('database down')]);
  });

  it('waits as long as a run says, at once for nothing', async () => {
    const { task, next } = started({ everyMs: 86_400_000 });
    const runs = [next(), next(), next()];
    task.start();
    (await runs[0]!).end(0);
    (await runs[1]!).end(1);
    (await runs[2]!).end();
    await task.stop();
  });

  it('stops within its pause, and never before the run under way has ended', async () => {
    const { task, next, runs } = started();
    const first = next();
    task.start();
    const run = await first;
    let isStopped = false;
    const stopping = task.stop().then(() => (isStopped = true));
    await new Promise(resolve => setImmediate(resolve));
    expect([run.signal.aborted, isStopped]).toEqual([true, false]);
    run.end();
    await stopping;
    expect(runs()).toBe(1);
  });

  it('does not run at all when it is stopped before its first run', async () => {
    const { task, runs } = started({ firstAfterMs: 86_400_000 });
    task.start();
    await task.stop();
    expect(runs()).toBe(0);
  });
});

const limits = { firstMs: 100, maxMs: 5_000 };

it('a periodic job runs from the start of its application to its shutdown', async () => {
  const signals: AbortSignal[] = [];
  const job = new PeriodicJob(async signal => void signals.push(signal), { everyMs: 86_400_000, failed: () => undefined });
  made.push(job);
  expect(signals).toEqual([]);
  job.onApplicationBootstrap();
  expect(signals).toHaveLength(1);
  await job.onApplicationShutdown();
  expect(signals[0]!.aborted).toBe(true);
});

describe('back-off', () => {
  it('doubles with each failure in a row, up to the most', () => {
    expect([0, 1, 2, 3, 20, 1e9].map(failures => backoffMs(failures, limits, 0))).toEqual([100, 100, 200, 400, 5_000, 5_000]);
  });

  it('is shortened by up to a half, so that replicas do not retry in step', () => {
    expect([0.5, 1].map(chance => backoffMs(2, limits, chance))).toEqual([150, 100]);
    const waits = Array.from({ length: 200 }, () => backoffMs(3, limits));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...waits)).toBeLessThanOrEqual(400);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});
