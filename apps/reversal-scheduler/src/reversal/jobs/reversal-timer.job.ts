import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { setTimeout as pause } from 'node:timers/promises';
import { ShardOwnership } from '../../shard-ownership';
import { ReversalTimers } from '../reversal-timers.service';

/** How often near-due jobs are read, and how often the shards and the low-water marks are looked after, in milliseconds. */
const tickMs = 200;
const beatMs = 1_000;
const advanceMs = 10_000;
/** Timers that fall due within this time share a call; it is also what they are late at least. */
const gatherMs = 2;
/** After a fault of the database or the dispatcher. */
const faultMs = 1_000;
/** Calls to the dispatcher at a time. */
const concurrentAsks = 4;

/** Drives the timers: beat and shards every second, near-due jobs every 200 ms, due timers when they are due. Faults are logged and tried again. */
@Injectable()
export class ReversalTimerJob implements OnApplicationBootstrap {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly timers: ReversalTimers,
    private readonly ownership: ShardOwnership,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = Promise.all([
      this.every(beatMs, 'shards', async () => this.timers.own(await this.ownership.turn(performance.now()))),
      this.every(tickMs, 'load', async () => {
        while (await this.timers.load()) if (this.stopping.signal.aborted) return;
      }),
      ...Array.from({ length: concurrentAsks }, () => this.fireWhenDue()),
      this.every(advanceMs, 'low-water', () => this.timers.advance()),
    ]);
    this.lifecycle.onDrain('timers', () => this.stop());
  }

  /** Ends what runs, then gives the shards to the others. */
  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.ownership.leave();
  }

  /** One of several that ask at the same time: a slow call holds up only what it asks about. */
  private async fireWhenDue(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isDone = await this.attempt('fire', async () => {
        while (await this.timers.fire()) if (signal.aborted) return;
      });
      const waitMs = isDone ? Math.min(tickMs, Math.max(gatherMs, this.timers.nextInMs)) : faultMs;
      await pause(Math.ceil(waitMs), undefined, { signal }).catch(ignoreAbort);
    }
  }

  private async every(intervalMs: number, source: string, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isDone = await this.attempt(source, work);
      await pause(isDone ? intervalMs : Math.max(intervalMs, faultMs), undefined, { signal }).catch(ignoreAbort);
    }
  }

  private async attempt(source: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.logger.warn({ event: 'timer-fault', source, err: error }, 'reversal timers will try again');
      return false;
    }
  }
}

function ignoreAbort(error: unknown): void {
  if ((error as { name?: string }).name !== 'AbortError') throw error;
}
