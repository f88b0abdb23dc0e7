import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { reversalRequested, topics } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents, type ReceivedEvent } from '@paycode/events';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { ReverseTransactionsService } from './reverse-transactions.service';

/** Executes the reversals that the scheduler decided. */
@Controller()
export class ReversalRequestedConsumer {
  constructor(
    private readonly reverseTransactions: ReverseTransactionsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @OnEvents(topics.reversalRequested, { group: 'payment-simulator' })
  async onReversalRequested(@Payload() batch: EventBatch): Promise<void> {
    const byId = new Map<number, ReceivedEvent>();
    const requests = readEvents(batch, (data, event) => {
      const result = reversalRequested.parse(data);
      if (result.ok) byId.set(result.value.transactionId, event);
      return result;
    });
    const report = await this.reverseTransactions.reverse(requests);
    for (const transactionId of report.unknown) batch.reject(byId.get(transactionId)!, 'no such purchase');
    for (const transactionId of report.failed)
      this.logger.error({ event: 'reversal-failed', transactionId }, 'the payment could not be reversed: an operator must look');
    if (requests.length > 0) this.logger.info({ event: 'reversed', count: report.reversed }, 'reversals done');
  }
}
