import type { CompletedTransaction, StoredTransaction } from './domain/transaction';

/** Transactions and their TransactionTerminal events, which become durable together. */
export abstract class TransactionStore {
  /** Fresh transaction ids, ascending. */
  abstract nextIds(count: number): Promise<number[]>;
  /** For each purchase: null when it was recorded, or the transaction that had its idempotency key before. */
  abstract record(transactions: readonly CompletedTransaction[]): Promise<(StoredTransaction | null)[]>;
  /**
   * Records the payment of a code if it can be paid now; `consumes`: the payment uses up a code for one use; `announcedAfterS`: its event,
   * durable with it, is published that much later. False: the code could not be paid any more.
   */
  abstract recordForCode(
    transaction: CompletedTransaction,
    how: { consumes: boolean; announcedAfterS: number },
  ): Promise<boolean>;
  /** Publishes the events that were to be late and are due now. Time until the next one is due, in milliseconds; infinite: none waits. */
  abstract announceDue(): Promise<number>;
  /** Sets the listener that is called when an event was recorded that is to be late. */
  abstract onLate(listener: () => void): void;
  /**
   * Locks the originals, lets `follow` decide from their states, and records the result; a reversed original is END_REVERSED
   * from then on. It is one commit; concurrent calls for one original are serialised.
   * @throws when the merchant has a transaction under an idempotency key of the result; nothing is recorded
   */
  abstract follow(
    originals: readonly number[],
    follow: (originals: ReadonlyMap<number, StoredTransaction>) => CompletedTransaction[],
  ): Promise<void>;
  abstract find(transactionId: number): Promise<StoredTransaction | undefined>;
  /** The merchant's transaction under an idempotency key. */
  abstract findByKey(merchantId: number, idempotencyKey: string): Promise<StoredTransaction | undefined>;
  /** The latest purchase made with the code. */
  abstract latestOfCode(code: string): Promise<StoredTransaction | undefined>;
}

/** Seals and opens notifications under the platform data key. */
export abstract class NotificationSealer {
  abstract seal(json: string): string;
  abstract openText(jwe: string): string;
}
