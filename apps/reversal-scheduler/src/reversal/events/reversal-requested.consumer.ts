import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { reversalRequested, type ReversalRequested, type SettleItem, topics, verdictOfReason } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents } from '@paycode/events';
import { DecideReversals } from '../decide-reversals';

/**
 * Reads the scheduler's own requests back. They change nothing, unless the database was restored to an earlier instant. Then they hold the
 * decisions that the database has lost, so that a reversed payment is not delivered again (docs/how-to/back-up-and-restore.md).
 */
@Controller()
export class ReversalRequestedConsumer {
  constructor(private readonly reversals: DecideReversals) {}

  @OnEvents(topics.reversalRequested, { group: 'reversal-scheduler-restore', gatherMs: 100 })
  async onReversalRequested(@Payload() batch: EventBatch): Promise<void> {
    await this.reversals.decide(readEvents(batch, reversalRequested.parse).map(closingOf));
  }
}

function closingOf({ transactionId, merchantId, reason }: ReversalRequested): SettleItem {
  return { transactionId, merchantId, verdict: verdictOfReason(reason) };
}
