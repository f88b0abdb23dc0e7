import { Injectable } from '@nestjs/common';
import { type MerchantRecord, parseNotification, serializeNotification } from '@paycode/dto';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import { MerchantDirectory } from '../merchants';
import { isRepeatOf, notificationOf } from './domain/notification-of';
import {
  type CompletedTransaction,
  type Completion,
  type NotifiedTransaction,
  refundProblem,
  reversalProblem,
  type StoredTransaction,
} from './domain/transaction';
import { PayloadSealer } from '@paycode/crypto';
import { TransactionStore } from './transaction.store';

/** The transaction that had an idempotency key before. */
type Earlier = StoredTransaction | null;

/**
 * Flow: completions -> ids -> sealed notifications -> stored together with their TransactionTerminal events. Also transaction id or code ->
 * the present state of the transaction and the notification of its merchant.
 */
@Injectable()
export class TransactionsService {
  constructor(
    private readonly transactions: TransactionStore,
    private readonly merchants: MerchantDirectory,
    private readonly sealer: PayloadSealer,
    private readonly clock: Clock,
  ) {}

  /**
   * Ids in the order of the completions, that of the earlier transaction for a repeat. Purchases are stored in one commit, then
   * each refund and reversal in its own.
   * @throws DomainError 400 for an unknown merchant, a state that is not terminal, or a refund or reversal that is not possible; 409 for
   * an idempotency key with another content. Completions before the culprit, and all purchases but it, are stored
   */
  async complete(completions: readonly Completion[]): Promise<number[]> {
    const prepared = await this.prepare(completions);
    const earlier = await this.recordPurchases(prepared);
    for (const following of prepared.filter(({ kind }) => kind !== 'PURCHASE'))
      earlier.set(following, await this.follow(following));
    return prepared.map((transaction, at) =>
      this.idOf(transaction, { completion: completions[at]!, earlier: earlier.get(transaction), at }),
    );
  }

  /** By purchase: the transaction that had its idempotency key before, if one had. */
  private async recordPurchases(prepared: readonly CompletedTransaction[]): Promise<Map<CompletedTransaction, Earlier>> {
    const purchases = prepared.filter(({ kind }) => kind === 'PURCHASE');
    const earlier = purchases.length > 0 ? await this.transactions.record(purchases) : [];
    return new Map(purchases.map((purchase, at) => [purchase, earlier[at]!]));
  }

  private idOf(
    { transactionId }: CompletedTransaction,
    { completion, earlier, at }: { completion: Completion; earlier: Earlier | undefined; at: number },
  ): number {
    if (!earlier) return transactionId;
    const notification = this.sealer.openText(earlier.notification);
    if (isRepeatOf(completion, { transaction: earlier, notification })) return earlier.transactionId;
    throw keyUsed(`[${at}].idempotencyKey`);
  }

  /** Pays a code; a repeat of an idempotency key gives the payment of the first call. @throws DomainError 400 when the code cannot be paid any more */
  async completeForCode(completion: Completion): Promise<CompletedTransaction | StoredTransaction> {
    const [transaction] = await this.prepare([completion]);
    const { announcedAfterS = 0 } = completion;
    const consumes = transaction!.status === 'SUCCESS';
    const earlier = await this.transactions.recordForCode(transaction!, { consumes, announcedAfterS });
    if (earlier === false)
      throw new DomainError({ status: 400, reason: 'CODE_NOT_PAYABLE', message: 'code cannot be paid any more' });
    return earlier ?? transaction!;
  }

  /** The merchant's transaction under an idempotency key. */
  findByKey(merchantId: number, idempotencyKey: string): Promise<StoredTransaction | undefined> {
    return this.transactions.findByKey(merchantId, idempotencyKey);
  }

  /** The transaction as it stands now. */
  find(transactionId: number): Promise<StoredTransaction | undefined> {
    return this.transactions.find(transactionId);
  }

  /** The latest purchase made with the code, with its notification opened. */
  async latestOfCode(code: string): Promise<NotifiedTransaction | undefined> {
    const transaction = await this.transactions.latestOfCode(code);
    if (!transaction) return undefined;
    return { transaction, notification: parseNotification(this.sealer.openText(transaction.notification)) };
  }

  /** Stores a refund or a reversal, or gives the transaction that had its idempotency key before. */
  private async follow(transaction: CompletedTransaction): Promise<Earlier> {
    try {
      await this.storeFollowing(transaction);
      return null;
    } catch (refusal) {
      // The original may refuse because the first call of this key has already refunded or reversed it.
      const { merchantId, idempotencyKey } = transaction;
      const earlier = idempotencyKey === null ? undefined : await this.transactions.findByKey(merchantId, idempotencyKey);
      if (earlier) return earlier;
      throw refusal;
    }
  }

  /** Checks it against its locked original. */
  private async storeFollowing(transaction: CompletedTransaction): Promise<void> {
    const { kind, referenceTransactionId } = transaction;
    const problemOf = kind === 'REFUND' ? refundProblem : reversalProblem;
    await this.transactions.follow([referenceTransactionId], originals => {
      const problem = problemOf(transaction, originals.get(referenceTransactionId));
      if (problem) throw invalidField('referenceTransactionId', problem);
      return [transaction];
    });
  }

  private async prepare(completions: readonly Completion[]): Promise<CompletedTransaction[]> {
    const merchants = await this.merchantsOf(completions);
    const ids = await this.transactions.nextIds(completions.length);
    const completedAt = new Date(this.clock.epochMs()).toISOString();
    return completions.map((completion, at) => {
      const transactionId = ids[at]!;
      const notification = notificationOf(completion, merchants.get(completion.merchantId)!, transactionId);
      return {
        transactionId,
        merchantId: completion.merchantId,
        kind: completion.kind,
        txState: completion.txState,
        status: notification.status,
        reference: completion.reference,
        amount: completion.amount,
        currencyCode: completion.currencyCode,
        code: completion.code ?? null,
        referenceTransactionId: completion.referenceTransactionId,
        completedAt,
        notification: this.sealer.seal(serializeNotification(notification)),
        idempotencyKey: completion.idempotencyKey,
      };
    });
  }

  private async merchantsOf(completions: readonly Completion[]): Promise<Map<number, MerchantRecord>> {
    const ids = [...new Set(completions.map(({ merchantId }) => merchantId))];
    const found = await Promise.all(ids.map(id => this.merchants.find(id)));
    const unknown = ids.find((_, at) => !found[at]);
    if (unknown !== undefined) throw invalidField('merchantId', 'is not a known merchant');
    return new Map(found.map(merchant => [merchant!.merchantId, merchant!]));
  }
}

function keyUsed(field: string): DomainError {
  const { message, errors } = invalidField(field, 'was used for a completion with other content');
  return new DomainError({ status: 409, reason: 'IDEMPOTENCY_KEY_USED', message, errors });
}
