import type { ShardOwnership } from '@paycode/ownership';
import type { Lifecycle, Logger } from '@paycode/service-runtime';
import type { ReversalTimers } from './reversal-timers';
import { ReversalTimerJob } from './reversal-timer.job';

const heartbeatMs = 10;

/** Timers whose jobs come from the database only when a shard is gained. */
class FakeTimers {
  isLoadDue = false;
  nextInMs = Infinity;
  readonly calls: string[] = [];
  isShardGained = false;

  get loadInMs(): number {
    return this.isLoadDue ? 0 : 86_400_000;
  }

  own(): void {
    if (this.isShardGained) this.isLoadDue = true;
    this.isShardGained = false;
  }

  load(): Promise<boolean> {
    this.calls.push('load');
    this.isLoadDue = false;
    this.nextInMs = 0;
    return Promise.resolve(false);
  }

  fire(): Promise<boolean> {
    this.calls.push('fire');
    this.nextInMs = Infinity;
    return Promise.resolve(false);
  }

  advance = () => Promise.resolve();
}

describe('the job of the reversal timers', () => {
  let timers: FakeTimers;
  let drain: () => Promise<void>;

  beforeEach(async () => {
    jest.useFakeTimers();
    timers = new FakeTimers();
    const ownership = {
      heartbeatMs,
      nextPassMs: heartbeatMs,
      pass: () => Promise.resolve(),
      shards: new Set([1]),
      leave: () => Promise.resolve(),
    };
    const lifecycle = { onDrain: (_name: string, work: () => Promise<void>) => (drain = work) };
    const logger = { warn: jest.fn() };
    new ReversalTimerJob(
      timers as unknown as ReversalTimers,
      ownership as unknown as ShardOwnership,
      lifecycle as unknown as Lifecycle,
      logger as unknown as Logger,
    ).onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(5_000);
    timers.calls.length = 0;
  });
  afterEach(async () => {
    await drain();
    jest.useRealTimers();
  });

  it('checks every five seconds and caller whether a timer is due while none is', async () => {
    await jest.advanceTimersByTimeAsync(10_000);
    expect(timers.calls).toEqual(Array.from({ length: 8 }, () => 'fire'));
  });

  it('reads the jobs of a gained shard with the heartbeat that gained it, and asks about those that are overdue at once (P-T10)', async () => {
    timers.isShardGained = true;
    await jest.advanceTimersByTimeAsync(2 * heartbeatMs);
    expect(timers.calls.slice(0, 2)).toEqual(['load', 'fire']);
  });
});
