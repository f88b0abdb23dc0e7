import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ShardOwnership } from '@paycode/ownership';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { ReversalTimers } from './reversal-timers';

/** Longest pause of a task, in milliseconds. It ends earlier when a timer is due or the task is woken. */
const idleMs = 5_000;
/** Shortest pause between two loads: when memory has no room for near-due jobs, they are tried again after it. */
const roomMs = 200;
/** Interval at which low-water marks are moved, in milliseconds. */
const advanceMs = 10_000;
/** Timers that are due within this time share a call. Each timer is late by at least this time. */
const gatherMs = 2;
/** After a fault of the database or the dispatcher. */
const faultMs = 1_000;
/** Calls to the dispatcher at a time. */
const concurrentAsks = 4;

/**
 * Runs the timers: heartbeat and shards as often as the lease requires, near-due jobs several times a window, due timers when they are due. It logs
 * faults and tries again.
 */
@Injectable()
export class ReversalTimerJob implements OnApplicationBootstrap {
  private tasks: PeriodicTask[] = [];
  private loading: PeriodicTask | undefined;
  private firing: PeriodicTask[] = [];

  constructor(
    private readonly timers: ReversalTimers,
    private readonly ownership: ShardOwnership,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.firing = Array.from({ length: concurrentAsks }, () => this.every(idleMs, 'fire', signal => this.fireDue(signal)));
    this.loading = this.every(idleMs, 'load', signal => this.loadNearDue(signal));
    this.tasks = [
      this.every(this.ownership.heartbeatMs, 'heartbeat', () => this.ownShards()),
      this.loading,
      ...this.firing,
      this.every(advanceMs, 'low-water', () => this.timers.advance()),
    ];
    this.lifecycle.onDrain('timers', () => this.stop());
  }

  /** Ends the running work, then hands the shards over. */
  private async stop(): Promise<void> {
    await Promise.all(this.tasks.map(task => task.stop()));
    await this.ownership.leave();
  }

  /** Resolves to the pause before the next pass. */
  private async ownShards(): Promise<number> {
    await this.ownership.pass();
    this.timers.own(this.ownership.shards);
    if (this.timers.isLoadDue) this.loading?.wake();
    return this.ownership.nextPassMs;
  }

  /** Resolves to the wait for the next load. A job that it read may be due before the callers of `fire` would wake up. */
  private async loadNearDue(signal: AbortSignal): Promise<number> {
    if (this.timers.isLoadDue) {
      while (await this.timers.load()) if (signal.aborted) break;
      for (const task of this.firing) task.wake();
    }
    return Math.min(idleMs, Math.max(roomMs, this.timers.loadInMs));
  }

  /**
   * One of several concurrent callers, so that a slow call delays only its own transactions. Resolves to the wait for the next due timer.
   */
  private async fireDue(signal: AbortSignal): Promise<number> {
    while (await this.timers.fire()) if (signal.aborted) break;
    return Math.ceil(Math.min(idleMs, Math.max(gatherMs, this.timers.nextInMs)));
  }

  private every(everyMs: number, source: string, pass: (signal: AbortSignal) => Promise<number | void>): PeriodicTask {
    const failed = (err: unknown) =>
      this.logger.warn({ event: 'timer-fault', source, err }, 'a step of the reversal timers failed and will be repeated');
    return new PeriodicTask(pass, { everyMs, afterFaultMs: Math.max(everyMs, faultMs), failed }).start();
  }
}
