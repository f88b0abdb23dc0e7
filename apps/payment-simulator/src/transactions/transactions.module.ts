import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxRelay } from '@paycode/events';
import { Clock, SystemClock } from '@paycode/timing';
import { PaymentTracing } from '@paycode/tracing';
import { DataSource } from 'typeorm';
import { CompleteTransactionsService } from './complete-transactions.service';
import { ReversalRequestedConsumer } from './events/reversal-requested.consumer';
import { TransactionsController } from './http/transactions.controller';
import { AnnounceLateJob } from './jobs/announce-late.job';
import { JweNotificationSealer } from './jwe-notification-sealer';
import { PostgresTransactionStore } from './persistence/postgres-transaction.store';
import { ReadTransactionsService } from './read-transactions.service';
import { ReverseTransactionsService } from './reverse-transactions.service';
import { NotificationSealer, TransactionStore } from './transactions.ports';

/** Completed transactions: purchases, refunds, reversals, and the events that announce them. */
@Module({})
export class TransactionsModule {
  static register({ payloadKeys }: { payloadKeys: string }): DynamicModule {
    return {
      module: TransactionsModule,
      controllers: [TransactionsController, ReversalRequestedConsumer],
      providers: [
        { provide: NotificationSealer, useFactory: () => new JweNotificationSealer(payloadKeys) },
        {
          provide: TransactionStore,
          inject: [DataSource, OutboxRelay, PaymentTracing],
          useFactory: (dataSource: DataSource, relay: OutboxRelay, tracing: PaymentTracing) =>
            new PostgresTransactionStore(dataSource, () => relay.wake(), tracing),
        },
        { provide: Clock, useClass: SystemClock },
        CompleteTransactionsService,
        ReverseTransactionsService,
        ReadTransactionsService,
        AnnounceLateJob,
      ],
      exports: [Clock, CompleteTransactionsService, ReadTransactionsService],
    };
  }
}
