import { Injectable } from '@nestjs/common';
import { parseNotification, type ReversalRequested, rewriteNotification, type TransactionNotificationV3 } from '@paycode/dto';
import { DataFault } from '@paycode/persistence';
import { Clock } from '@paycode/service-runtime/timing';
import { reversalNotificationOf } from './domain/notification-of';
import { type CompletedTransaction, reversalStateOf, type StoredTransaction } from './domain/transaction';
import { PayloadSealer } from '@paycode/crypto';
import { TransactionStore } from './transaction.store';

export interface ReversalReport {
  reversed: number;
  /** Number of reversals that were done before; a request may come any number of times (P-I2). */
  repeated: number;
  /** Originals that could not be reversed: an operator must look. */
  failed: number[];
  /** Requests for purchases that do not exist here. */
  unknown: number[];
}

/** Flow: ReversalRequested -> the original, locked -> a transaction of its own with the original linked (A-04) -> TransactionTerminal. */
@Injectable()
export class ReverseTransactionsService {
  constructor(
    private readonly transactions: TransactionStore,
    private readonly sealer: PayloadSealer,
    private readonly clock: Clock,
  ) {}

  /** Idempotent by original: a transaction is reversed at most once, whatever number of requests arrive. */
  async reverse(requests: readonly Pick<ReversalRequested, 'transactionId'>[]): Promise<ReversalReport> {
    const originalIds = [...new Set(requests.map(({ transactionId }) => transactionId))];
    const report: ReversalReport = { reversed: 0, repeated: 0, failed: [], unknown: [] };
    if (originalIds.length === 0) return report;
    const ids = await this.transactions.nextIds(originalIds.length);
    await this.transactions.follow(originalIds, originals =>
      originalIds.flatMap((originalId, at) =>
        this.reversalOf(originalId, { original: originals.get(originalId), id: ids[at]! }, report),
      ),
    );
    return report;
  }

  private reversalOf(
    originalId: number,
    { original, id }: { original: StoredTransaction | undefined; id: number },
    report: ReversalReport,
  ): CompletedTransaction[] {
    if (original?.kind !== 'PURCHASE') {
      report.unknown.push(originalId);
      return [];
    }
    if (original.reversal) {
      report.repeated++;
      return [];
    }
    const reversal = this.build(original, id);
    if (reversal.txState === 'END_REVERSED') report.reversed++;
    else report.failed.push(originalId);
    return [reversal];
  }

  /** @throws DataFault, which parks that request; the others of its batch are done (T-29) */
  private notifiedOf({ notification }: StoredTransaction): TransactionNotificationV3 {
    try {
      return parseNotification(this.sealer.openText(notification));
    } catch (cause) {
      throw new DataFault('the notification of the original cannot be read', { cause });
    }
  }

  private build(original: StoredTransaction, transactionId: number): CompletedTransaction {
    const txState = reversalStateOf(original);
    const notified = this.notifiedOf(original);
    const notification = reversalNotificationOf(notified, transactionId, txState);
    return {
      transactionId,
      merchantId: original.merchantId,
      kind: 'REVERSAL',
      txState,
      status: notification.status,
      reference: original.reference,
      amount: original.amount,
      currencyCode: original.currencyCode,
      code: original.code,
      referenceTransactionId: original.transactionId,
      completedAt: new Date(this.clock.epochMs()).toISOString(),
      notification: this.sealer.seal(rewriteNotification(notification)),
      idempotencyKey: null,
    };
  }
}
