import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { topics } from '@paycode/dto';
import { EventsServer, EventTransport } from '@paycode/events';
import { shardsOfPartitions } from '@paycode/ownership';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { dispatcherGroup } from '../intake/transaction-terminal.consumer';
import { EndingCertificates } from '../posting/ending-certificates';
import { Dispatcher } from './dispatcher';

/** The shards that this replica should own: those of the partitions that its consumer reads. */
@Injectable()
export class AssignedPartitions {
  private partitionCount: number | undefined;

  constructor(
    private readonly server: EventsServer,
    private readonly transport: EventTransport,
  ) {}

  async shards(): Promise<Set<number>> {
    const running = this.server
      .progress()
      .find(({ topic, group }) => topic === topics.transactionTerminal && group === dispatcherGroup);
    if (!running) return new Set();
    this.partitionCount ??= await this.transport.partitionCount(topics.transactionTerminal);
    return shardsOfPartitions(running.assignedPartitions, this.partitionCount);
  }
}

/** Interval of the passes that keep pauses, notices and queues current. */
const upkeepMs = 1_000;
const recoverMs = 250;
const certificatesMs = 60_000;
const assignmentMs = 100;
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
  private utilization = performance.eventLoopUtilization();

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly assigned: AssignedPartitions,
    private readonly certificates: EndingCertificates,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { shards, takeover, pauses, informational, routes } = this.dispatcher;
    this.tasks = [
      this.every(shards.heartbeatMs, 'heartbeat', () => this.ownShards()),
      this.every(recoverMs, 'recovery', () => takeover.pass()),
      this.every(upkeepMs, 'pauses', () => pauses.pass()),
      this.every(upkeepMs, 'notices', () => informational.pass()),
      this.every(upkeepMs, 'queues', async () => this.checkQueues()),
      this.every(certificatesMs, 'certificates', () => this.certificates.pass(routes)),
      this.every(assignmentMs, 'assignment', () => this.followAssignment()),
    ];
    this.lifecycle.onDrain('deliveries', () => this.drain());
  }

  /** Resolves to the pause before the next pass. */
  private async ownShards(): Promise<number> {
    await this.dispatcher.shards.pass();
    return this.dispatcher.shards.nextPassMs;
  }

  private checkQueues(): void {
    const total = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(total, this.utilization);
    this.utilization = total;
    this.dispatcher.queue.tick(utilization > saturatedFrom);
    this.dispatcher.overdue.pass();
  }

  private async followAssignment(): Promise<void> {
    const shards = await this.assigned.shards();
    const wanted = [...shards].join();
    if (wanted === this.wanted || this.lifecycle.isDraining) return;
    // Stays until the pass has succeeded, so that a failed pass is repeated even if the partitions have changed back by then.
    this.wanted = 'unsettled';
    await this.dispatcher.pauses.known();
    this.dispatcher.shards.want(shards);
    await this.dispatcher.shards.pass();
    this.wanted = wanted;
    this.logger.info({ event: 'shards', count: this.dispatcher.shards.held.length }, 'shards follow the partitions');
  }

  /** Heartbeats continue until the last shard is handed over. */
  private async drain(): Promise<void> {
    await this.dispatcher.drain();
    await Promise.all(this.tasks.map(task => task.stop()));
  }

  private every(everyMs: number, source: string, pass: () => Promise<number | void>): PeriodicTask {
    const failed = (err: unknown) =>
      this.logger.warn({ event: 'pass-failed', source, err }, 'a pass failed and will be repeated');
    return new PeriodicTask(pass, { everyMs, failed }).start();
  }
}
