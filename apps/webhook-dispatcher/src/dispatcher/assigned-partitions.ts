import { topics } from '@paycode/dto';
import type { EventsServer, EventTransport } from '@paycode/events';
import { shardsOfPartitions } from '@paycode/ownership';

/** Which shards this replica should have: those whose events it is given. */
export class AssignedPartitions {
  private server: Pick<EventsServer, 'progress'> | undefined;
  private partitionCount: number | undefined;

  constructor(
    private readonly transport: Pick<EventTransport, 'partitionCount'>,
    private readonly group: string,
  ) {}

  /** The server whose subscriptions are asked. */
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
