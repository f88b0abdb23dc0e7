import type { CompletedTransaction, StoredTransaction } from './domain/transaction';

/** Transactions and their TransactionTerminal events, which become durable together. */
export abstract class TransactionStore {
  /** Fresh transaction ids, ascending. */
  abstract nextIds(count: number): Promise<number[]>;
  abstract record(transactions: readonly CompletedTransaction[]): Promise<void>;
  /** Records the payment of a code that can be paid now; `consumes`: a code for one use is used up by it. False: it could not be paid any more. */
  abstract recordForCode(transaction: CompletedTransaction, consumes: boolean): Promise<boolean>;
  /**
   * Locks the originals, lets `follow` decide what follows from their states, and records that; an original that was reversed is
   * END_REVERSED from then on. All in one commit; concurrent calls for one original run one after the other.
   */
  abstract follow(
    originals: readonly number[],
    follow: (originals: ReadonlyMap<number, StoredTransaction>) => CompletedTransaction[],
  ): Promise<void>;
  abstract find(transactionId: number): Promise<StoredTransaction | undefined>;
  /** The latest purchase made with the code. */
  abstract latestOfCode(code: string): Promise<StoredTransaction | undefined>;
}

/** Seals and opens notifications under the platform data key. */
export abstract class NotificationSealer {
  abstract seal(json: string): string;
  abstract openText(jwe: string): string;
}
