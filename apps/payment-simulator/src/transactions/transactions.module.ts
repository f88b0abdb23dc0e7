import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxRelay } from '@paycode/events';
import { PaymentTracing } from '@paycode/tracing';
import { DataSource } from 'typeorm';
import { MerchantDirectory } from '../merchants';
import { CompleteTransactions } from './complete-transactions.service';
import { ReversalRequestedConsumer } from './events/reversal-requested.consumer';
import { TransactionsController } from './http/transactions.controller';
import { JweNotificationSealer } from './jwe-notification-sealer';
import { PostgresTransactionStore } from './persistence/postgres-transaction.store';
import { ReadTransactions } from './read-transactions.service';
import { ReverseTransactions } from './reverse-transactions.service';
import { NotificationSealer, TransactionStore } from './transactions.ports';

/** Completed transactions: purchases, refunds, reversals, and the events that announce them. */
@Module({})
export class TransactionsModule {
  static withKeys(payloadKeys: string): DynamicModule {
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
        {
          provide: CompleteTransactions,
          inject: [TransactionStore, MerchantDirectory, NotificationSealer],
          useFactory: (transactions: TransactionStore, directory: MerchantDirectory, sealer: NotificationSealer) =>
            new CompleteTransactions({ transactions, merchants: directory, sealer }),
        },
        {
          provide: ReverseTransactions,
          inject: [TransactionStore, NotificationSealer],
          useFactory: (transactions: TransactionStore, sealer: NotificationSealer) =>
            new ReverseTransactions({ transactions, sealer }),
        },
        {
          provide: ReadTransactions,
          inject: [TransactionStore, NotificationSealer],
          useFactory: (transactions: TransactionStore, sealer: NotificationSealer) =>
            new ReadTransactions({ transactions, sealer }),
        },
      ],
      exports: [CompleteTransactions, ReadTransactions],
    };
  }
}
