import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ackReceived, reversalRequested, topics, transactionTerminal } from '@paycode/dto';
import { type EventBatch, OnEvents } from '@paycode/events';
import { PaymentWriter } from './payment-writer';
import { RecordPaymentsService } from './record-payments.service';

/** The portal has consumer groups of its own, so its lag delays no delivery. The groups that act on an event park it when it is unreadable. */
@Controller()
export class PaymentEventsConsumer {
  constructor(
    private readonly recordPayments: RecordPaymentsService,
    private readonly writer: PaymentWriter,
  ) {}

  @OnEvents(topics.transactionTerminal, { group: 'portal', gatherMs: 100 })
  async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
    await this.recordPayments.record(readable(batch, transactionTerminal));
  }

  @OnEvents(topics.ackReceived, { group: 'portal-acks', gatherMs: 100 })
  async onAckReceived(@Payload() batch: EventBatch): Promise<void> {
    await this.writer.acks(readable(batch, ackReceived));
  }

  @OnEvents(topics.reversalRequested, { group: 'portal-reversals', gatherMs: 100 })
  async onReversalRequested(@Payload() batch: EventBatch): Promise<void> {
    await this.writer.reversals(readable(batch, reversalRequested));
  }
}

interface Parser<T> {
  parse(data: unknown): { ok: true; value: T } | { ok: false };
}

function readable<T>(batch: EventBatch, event: Parser<T>): T[] {
  return batch.events.map(({ data }) => event.parse(data)).flatMap(parsed => (parsed.ok ? [parsed.value] : []));
}
