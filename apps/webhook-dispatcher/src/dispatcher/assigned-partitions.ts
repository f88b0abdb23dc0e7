import { topics } from '@paycode/dto';
import type { EventsServer, EventTransport } from '@paycode/events';
import { shardsOfPartitions } from '@paycode/ownership';

/** The shards that this replica should own: those of the partitions that it reads. */
export class AssignedPartitions {
  private server: Pick<EventsServer, 'progress'> | undefined;
  private partitionCount: number | undefined;

  constructor(
    private readonly transport: Pick<EventTransport, 'partitionCount'>,
    private readonly group: string,
  ) {}

  /** Sets the server whose subscriptions tell the partitions. */
  follow(server: Pick<EventsServer, 'progress'>): void {
    this.server = server;
  }

  async shards(): Promise<Set<number>> {
    const running = this.server
      ?.progress()
      .find(({ topic, group }) => topic === topics.transactionTerminal && group === this.group);
    if (!running) return new Set();
    this.partitionCount ??= await this.transport.partitionCount(topics.transactionTerminal);
    return shardsOfPartitions(running.assignedPartitions, this.partitionCount);
  }
}
