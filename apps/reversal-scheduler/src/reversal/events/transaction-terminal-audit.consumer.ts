import { Payload } from '@nestjs/microservices';
import { Controller, type Type } from '@nestjs/common';
import { transactionTerminal, topics } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents } from '@paycode/events';
import { WatchTerminals } from '../watch-terminals.service';

/** The consumer that follows TransactionTerminal `delayMs` behind; the delay is part of the subscription, so the class is made for it. */
export function transactionTerminalAuditConsumer(delayMs: number): Type {
  @Controller()
  class TransactionTerminalAuditConsumer {
    constructor(private readonly watchTerminals: WatchTerminals) {}

    @OnEvents(topics.transactionTerminal, { group: 'reversal-scheduler-audit', minAgeMs: delayMs })
    async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
      await this.watchTerminals.watch(readEvents(batch, transactionTerminal.parse));
    }
  }
  return TransactionTerminalAuditConsumer;
}
