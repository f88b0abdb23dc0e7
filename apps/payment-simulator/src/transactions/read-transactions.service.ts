import { parseNotification, type TransactionNotificationV3 } from '@paycode/dto';
import type { StoredTransaction } from './domain/transaction';
import type { NotificationSealer, TransactionStore } from './transactions.ports';

export interface ReadTransactionsPorts {
  transactions: TransactionStore;
  sealer: NotificationSealer;
}

/** Flow: transaction id or code -> the transaction as it stands and what its merchant was told. */
export class ReadTransactions {
  constructor(private readonly ports: ReadTransactionsPorts) {}

  find(transactionId: number): Promise<StoredTransaction | undefined> {
    return this.ports.transactions.find(transactionId);
  }

  /** The latest purchase made with the code, with its notification opened. */
  async latestOfCode(
    code: string,
  ): Promise<{ transaction: StoredTransaction; notification: TransactionNotificationV3 } | undefined> {
    const transaction = await this.ports.transactions.latestOfCode(code);
    if (!transaction) return undefined;
    return { transaction, notification: parseNotification(this.ports.sealer.openText(transaction.notification)) };
  }
}
