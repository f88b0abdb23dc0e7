import { Payload } from '@nestjs/microservices';
import { Controller, type Type } from '@nestjs/common';
import { transactionTerminal, topics } from '@paycode/dto';
import { type EventBatch, OnEvents, readEvents } from '@paycode/events';
import { WatchTerminals } from '../watch-terminals';

/**
 * Makes the consumer that reads TransactionTerminal with a delay of `delayMs`. The delay is part of the subscription, so each delay needs
 * its own class.
 */
export function transactionTerminalAuditConsumer(delayMs: number): Type {
  @Controller()
  class TransactionTerminalAuditConsumer {
    constructor(private readonly terminals: WatchTerminals) {}

    @OnEvents(topics.transactionTerminal, { group: 'reversal-scheduler-audit', minAgeMs: delayMs })
    async onTransactionTerminal(@Payload() batch: EventBatch): Promise<void> {
      await this.terminals.watch(readEvents(batch, transactionTerminal.parse));
    }
  }
  return TransactionTerminalAuditConsumer;
}
