import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { transactionTerminal, topics, type TransactionTerminal } from '@paycode/dto';
import { type EventBatch, OnEvents, type ReceivedEvent } from '@paycode/events';
import { DeliveryMetrics } from '../../deliveries';
import { RecordDeliveries } from '../record-deliveries.service';

/** Consumer group of the dispatchers; the lanes a replica wants follow from its partitions. */
export const dispatcherGroup = 'webhook-dispatcher';

/** Terminal transactions become deliveries; the offset moves once they are durable. */
@Controller()
export class TransactionTerminalConsumer {
  constructor(
    private readonly recordDeliveries: RecordDeliveries,
    private readonly metrics: DeliveryMetrics,
  ) {}

  @OnEvents(topics.transactionTerminal, { group: dispatcherGroup })
  async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
    const terminals = batch.events.map(event => this.read(batch, event));
    await this.recordDeliveries.record(terminals.filter(terminal => terminal !== undefined));
  }

  /** An event that can never be stored is parked, and the partition goes on (T-19, F-40). */
  private read(batch: EventBatch, event: ReceivedEvent): TransactionTerminal | undefined {
    const parsed = transactionTerminal.parse(event.data);
    const reason = parsed.ok ? keyProblem(event, parsed.value) : parsed.reason;
    if (reason === undefined && parsed.ok) return parsed.value;
    this.metrics.parked(reason ?? 'unreadable');
    batch.reject(event, reason ?? 'unreadable');
    return undefined;
  }
}

/** The key chose the partition, and with it the lane's owner: it must be the transaction's. */
function keyProblem(event: ReceivedEvent, { transactionId }: TransactionTerminal): string | undefined {
  return event.key === String(transactionId) ? undefined : 'record key is not the transactionId';
}
