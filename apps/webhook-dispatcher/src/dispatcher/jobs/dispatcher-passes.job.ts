import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/timing';
import { AssignedPartitions } from '../assigned-partitions';
import type { Dispatcher } from '../assemble-dispatcher';
import { DISPATCHER } from '../dispatcher.token';

/** Interval of the passes that repeat informational deliveries and refill the queues. */
const careMs = 1_000;
const recoverMs = 250;
const assignmentMs = 100;
/** In place of the two above, as long as nothing is to do (ADR 0105). */
const restingMs = 1_000;
/** Interval of what another replica may have stored meanwhile, while there is none, or of what waits for half a minute and longer. */
const aloneMs = 5_000;
/** The task whose rhythm others judge: a pause that ended early would leave two replicas out of step, and a death would be seen later. */
const heartbeats = 'shards';
/** When the event loop is busy for at least this share of the time, this process is the bottleneck. */
const saturatedFrom = 0.9;

/**
 * Runs the passes of a dispatcher: heartbeat and shards as often as the lease requires (at once when partitions moved), recovery four times
 * a second.
 */
@Injectable()
export class DispatcherPassesJob implements OnApplicationBootstrap {
  private tasks: PeriodicTask[] = [];
  private wanted = '';
  private wasAtRest = false;
  private owning: PeriodicTask | undefined;
  private recovery: PeriodicTask | undefined;
  private pauses: PeriodicTask | undefined;
  private utilization = performance.eventLoopUtilization();

  constructor(
    @Inject(DISPATCHER) private readonly dispatcher: Dispatcher,
    private readonly assigned: AssignedPartitions,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.owning = this.every(this.dispatcher.shards.heartbeatMs, heartbeats, () => this.ownShards());
    this.dispatcher.shards.onNews(() => this.owning?.wake());
    this.recovery = this.every(recoverMs, 'recovery', () => this.recover());
    this.pauses = this.every(careMs, 'pauses', () => this.readPauses());
    this.tasks = [
      this.owning,
      this.recovery,
      this.pauses,
      this.every(careMs, 'notices', () => this.repeatNotices()),
      this.every(careMs, 'queues', async () => this.lookAfterQueues()),
      this.every(assignmentMs, 'assignment', () => this.followAssignment()),
    ];
    this.lifecycle.onDrain('deliveries', () => this.drain());
  }

  /** Resolves to the pause before the next pass. */
  private async ownShards(): Promise<number> {
    await this.passShards();
    const { shards, takeover } = this.dispatcher;
    return takeover.isAtRest ? shards.restingPassMs : shards.nextPassMs;
  }

  /** What a resting dispatcher does more rarely is done at once when its shards change, or when it is no longer alone. */
  private async passShards(): Promise<void> {
    const { shards, takeover } = this.dispatcher;
    const before = { isAtRest: takeover.isAtRest, isAlone: shards.isAlone };
    await shards.pass();
    if (before.isAtRest && !takeover.isAtRest) this.recovery?.wake();
    if (before.isAlone && !shards.isAlone) this.pauses?.wake();
  }

  private async recover(): Promise<number> {
    const { takeover } = this.dispatcher;
    await takeover.pass();
    const { isAtRest } = takeover;
    // Work has come, and with it the time to beat each second.
    if (this.wasAtRest && !isAtRest) this.owning?.wake();
    this.wasAtRest = isAtRest;
    return isAtRest ? restingMs : recoverMs;
  }

  /** Who pauses an endpoint asks one of the replicas, and that one knows at once. */
  private async readPauses(): Promise<number> {
    await this.dispatcher.pauses.pass();
    return this.dispatcher.shards.isAlone ? aloneMs : careMs;
  }

  private async repeatNotices(): Promise<number> {
    await this.dispatcher.informational.pass();
    return this.dispatcher.takeover.isAtRest ? aloneMs : careMs;
  }

  private lookAfterQueues(): void {
    const total = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(total, this.utilization);
    this.utilization = total;
    this.dispatcher.queue.tick(utilization > saturatedFrom);
    this.dispatcher.overdue.pass();
  }

  /** Resolves to the pause before the next look. The partitions of one that is alone move only when another one joins. */
  private async followAssignment(): Promise<number> {
    await this.followPartitions();
    const { shards, takeover } = this.dispatcher;
    return shards.isAlone && takeover.isAtRest ? restingMs : assignmentMs;
  }

  private async followPartitions(): Promise<void> {
    const shards = await this.assigned.shards();
    const wanted = [...shards].join();
    if (wanted === this.wanted || this.lifecycle.isDraining) return;
    // Stays until the pass has succeeded, so that a failed pass is repeated even if the partitions have changed back by then.
    this.wanted = 'unsettled';
    await this.dispatcher.pauses.known();
    this.dispatcher.shards.want(shards);
    await this.passShards();
    this.wanted = wanted;
    this.logger.info({ event: 'shards', count: this.dispatcher.shards.held.length }, 'shards follow the partitions');
  }

  /** Heartbeats continue until the last shard is handed over. */
  private async drain(): Promise<void> {
    await this.dispatcher.drain();
    await Promise.all(this.tasks.map(task => task.stop()));
  }

  private every(everyMs: number, source: string, pass: () => Promise<number | void>): PeriodicTask {
    const failed = (error: unknown) =>
      this.logger.warn({ event: 'pass-failed', source, err: error }, 'a pass failed and will be repeated');
    return new PeriodicTask(pass, { everyMs, failed, isExact: source === heartbeats }).start();
  }
}
