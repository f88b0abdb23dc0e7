import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type AckReceived, ackReceived, type SettleItem, topics } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents } from '@paycode/events';
import { DecideReversals } from '../decide-reversals';
import { ReversalMetrics } from '../reversal.ports';

/**
 * The way of an acknowledgement: it settles the payment. One that is later than the payment's timer changes nothing, because the timer
 * asks the dispatcher, which has the verdict.
 */
@Controller()
export class AckReceivedConsumer {
  constructor(
    private readonly reversals: DecideReversals,
    private readonly metrics: ReversalMetrics,
  ) {}

  // A payment is due a minute after its arming, so acknowledgements may wait to form batches.
  @OnEvents(topics.ackReceived, { group: 'reversal-scheduler', gatherMs: 100 })
  async onAckReceived(@Payload() batch: EventBatch): Promise<void> {
    const acks = readEvents(batch, ackReceived.parse);
    const outcomes = await this.reversals.decide(acks.map(settlementOf));
    const nowMs = Date.now();
    outcomes.forEach(({ isNew, decision }, at) => {
      if (isNew && decision === 'SETTLED') this.report(acks[at]!, nowMs);
    });
  }

  private report({ source, acknowledgedAt }: AckReceived, nowMs: number): void {
    // The dispatcher counts the answers of webhooks, and this is the part of them that was settled in time.
    if (source === 'WEBHOOK') this.metrics.settled(nowMs - Date.parse(acknowledgedAt));
  }
}

function settlementOf({ transactionId, merchantId, source }: AckReceived): SettleItem {
  return { transactionId, merchantId, verdict: source === 'WEBHOOK' ? 'ACKED_HTTP' : 'ACKED_PULL' };
}
