import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type AckReceived, ackReceived, type SettleItem, topics } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents } from '@paycode/events';
import { DecideReversals } from '../decide-reversals';

/** The durable path of an acknowledgement: it settles the payment even when the direct call was lost. */
@Controller()
export class AckReceivedConsumer {
  constructor(private readonly reversals: DecideReversals) {}

  // The direct call has delivered nearly all of these before, so they may wait to form batches.
  @OnEvents(topics.ackReceived, { group: 'reversal-scheduler', gatherMs: 100 })
  async onAckReceived(@Payload() batch: EventBatch): Promise<void> {
    await this.reversals.decide(readEvents(batch, ackReceived.parse).map(settlementOf));
  }
}

function settlementOf({ transactionId, merchantId, source }: AckReceived): SettleItem {
  return { transactionId, merchantId, verdict: source === 'WEBHOOK' ? 'ACKED_HTTP' : 'ACKED_PULL' };
}
