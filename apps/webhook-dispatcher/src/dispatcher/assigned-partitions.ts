import { Injectable } from '@nestjs/common';
import { topics } from '@paycode/dto';
import { EventsServer, EventTransport } from '@paycode/events';
import { shardsOfPartitions } from '@paycode/ownership';
import { dispatcherGroup } from '../intake';

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
