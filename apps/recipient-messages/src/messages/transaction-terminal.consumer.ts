import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { transactionTerminal, topics } from '@paycode/dto';
import { type EventBatch, OnEvents } from '@paycode/events';
import { QueueMessages } from './queue-messages';

/** A separate group, so that a delay of Email and SMS never delays deliveries. */
export const recipientMessagesGroup = 'recipient-messages';

@Controller()
export class TransactionTerminalConsumer {
  constructor(private readonly queueMessages: QueueMessages) {}

  @OnEvents(topics.transactionTerminal, { group: recipientMessagesGroup, gatherMs: 100 })
  async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
    // Skips unreadable events; the dispatcher's group parks them.
    const terminals = batch.events
      .map(({ data }) => transactionTerminal.parse(data))
      .flatMap(parsed => (parsed.ok ? [parsed.value] : []));
    await this.queueMessages.queueTransactions(terminals);
  }
}
