import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type ParseResult, topics, transactionTerminal } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents, type ReceivedEvent } from '@paycode/events';
import { DeliveryMetrics } from '../deliveries/deliveries.ports';
import type { PlacedTerminal } from '../deliveries/domain/delivery';
import { RecordDeliveries } from './record-deliveries';

/** Consumer group of the dispatchers; the shards a replica wants follow from its partitions. */
export const dispatcherGroup = 'webhook-dispatcher';

/** Stores terminal transactions as deliveries; the offset moves after their commit. */
@Controller()
export class TransactionTerminalConsumer {
  constructor(
    private readonly recordDeliveries: RecordDeliveries,
    private readonly metrics: DeliveryMetrics,
  ) {}

  @OnEvents(topics.transactionTerminal, { group: dispatcherGroup })
  async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
    // An event that can never be stored is parked, and the partition goes on (T-19, F-40).
    const terminals = readEvents(batch, readTerminal, (event, reason) => {
      this.metrics.parked(reason);
      batch.reject(event, reason);
    });
    const end = await this.recordDeliveries.record(terminals, batch.partition, batch.startAt);
    if (end !== undefined) batch.endAt(end);
  }
}

/** The record key selected the partition and so the owner of the shard, so it must be the transaction id. */
function readTerminal(data: unknown, { key, offset }: ReceivedEvent): ParseResult<PlacedTerminal> {
  const parsed = transactionTerminal.parse(data);
  if (!parsed.ok) return parsed;
  if (key !== String(parsed.value.transactionId)) return { ok: false, reason: 'the record key is not the transactionId' };
  return { ok: true, value: { ...parsed.value, offset: Number(offset) } };
}
