import { Injectable } from '@nestjs/common';
import { parseNotification, type TransactionNotificationV3 } from '@paycode/dto';
import type { StoredTransaction } from './domain/transaction';
import { NotificationSealer, TransactionStore } from './transactions.ports';

/** Flow: transaction id or code -> the present state of the transaction and the notification of its merchant. */
@Injectable()
export class ReadTransactionsService {
  constructor(
    private readonly transactions: TransactionStore,
    private readonly sealer: NotificationSealer,
  ) {}

  find(transactionId: number): Promise<StoredTransaction | undefined> {
    return this.transactions.find(transactionId);
  }

  /** The latest purchase made with the code, with its notification opened. */
  async latestOfCode(
    code: string,
  ): Promise<{ transaction: StoredTransaction; notification: TransactionNotificationV3 } | undefined> {
    const transaction = await this.transactions.latestOfCode(code);
    if (!transaction) return undefined;
    return { transaction, notification: parseNotification(this.sealer.openText(transaction.notification)) };
  }
}
