import type { GuessRule } from './guess-rule';

/** One try under one key. */
export interface CountedKey {
  /** A digest, because somebody may have typed a password as the identity. */
  key: Buffer;
  rule: GuessRule;
}

/** The result of a try. */
export interface CountedTry {
  /** Whether it was counted; a refused try changes nothing and makes no wait longer. */
  isCounted: boolean;
  /** Its number in the count; for a refused try, the present count. */
  failures: number;
  /** Further tries are refused before this instant, in epoch milliseconds; 0: none is. */
  blockedUntilMs: number;
}

/** Counts of tries, shared by all replicas. */
export abstract class GuessStore {
  /**
   * Counts one try under each key, or refuses it, by one statement: of all tries at the same time, over all replicas, no more are counted
   * than the rule allows. Concurrent calls are merged. Returns one answer per key, in order.
   */
  abstract count(keys: readonly CountedKey[], nowMs: number): Promise<CountedTry[]>;
  /** Takes back one counted try of each key. */
  abstract giveBack(keys: readonly Buffer[]): Promise<void>;
}
