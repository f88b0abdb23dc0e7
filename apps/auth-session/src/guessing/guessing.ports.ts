import type { GuessRule } from './domain/guess-rule';

/** One try under one key. */
export interface CountedKey {
  /** A digest: what was typed as an identity may be a password. */
  key: Buffer;
  rule: GuessRule;
}

/** What became of it. */
export interface CountedTry {
  /** Whether it was counted; a refused one changes nothing and makes no wait longer. */
  isCounted: boolean;
  /** Which try of its count it is; of a refused one, the count it met. */
  failures: number;
  /** Further tries are refused before this instant, in epoch milliseconds; 0: none is. */
  blockedUntilMs: number;
}

/** Counts of tries, shared by all replicas. */
export abstract class GuessStore {
  /**
   * Counts one try under each key, or refuses it there, by one statement: whatever comes at once, at whichever replica, no more tries are
   * counted than the rule allows. Concurrent calls are merged. One answer per key, in their order.
   */
  abstract count(keys: readonly CountedKey[], nowMs: number): Promise<CountedTry[]>;
  /** Takes back one counted try of each key. */
  abstract giveBack(keys: readonly Buffer[]): Promise<void>;
}
