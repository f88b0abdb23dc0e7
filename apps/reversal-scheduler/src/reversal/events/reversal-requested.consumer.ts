import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { reversalRequested, type ReversalRequested, type SettleItem, topics, verdictOfReason } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents } from '@paycode/events';
import { DecideReversals } from '../decide-reversals.service';

/**
 * The scheduler's own requests, read back. They bring no news, except to a database that was restored to an earlier instant: then they are the
 * reversals it forgot, and a payment whose money is back is not delivered again (docs/how-to/back-up-and-restore.md).
 */
@Controller()
export class ReversalRequestedConsumer {
  constructor(private readonly decideReversals: DecideReversals) {}

  @OnEvents(topics.reversalRequested, { group: 'reversal-scheduler-restore', gatherMs: 100 })
  async onReversalRequested(@Payload() batch: EventBatch): Promise<void> {
    await this.decideReversals.decide(readEvents(batch, reversalRequested.parse).map(closingOf));
  }
}

function closingOf({ transactionId, merchantId, reason }: ReversalRequested): SettleItem {
  return { transactionId, merchantId, verdict: verdictOfReason(reason) };
}
