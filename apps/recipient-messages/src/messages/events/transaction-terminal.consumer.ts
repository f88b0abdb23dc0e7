import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { transactionTerminal, topics } from '@paycode/dto';
import { type EventBatch, OnEvents } from '@paycode/events';
import { QueueMessages } from '../queue-messages';

/** A group of its own: however far Email and SMS are behind, deliveries are not. */
export const recipientMessagesGroup = 'recipient-messages';

@Controller()
export class TransactionTerminalConsumer {
  constructor(private readonly queueMessages: QueueMessages) {}

  @OnEvents(topics.transactionTerminal, { group: recipientMessagesGroup, gatherMs: 100 })
  async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
    // What cannot be read is parked by the group that delivers; here it is passed over.
    const terminals = batch.events
      .map(({ data }) => transactionTerminal.parse(data))
      .flatMap(parsed => (parsed.ok ? [parsed.value] : []));
    await this.queueMessages.queueTransactions(terminals);
  }
}
