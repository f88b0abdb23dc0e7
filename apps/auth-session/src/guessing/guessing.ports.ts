import type { GuessCount } from './domain/guess-rule';

/** Failure counts shared by all replicas. Keys are digests: what was typed as an identity may be a password. */
export abstract class GuessStore {
  /** One count per key, undefined where there is none; concurrent reads are merged. */
  abstract read(keys: readonly Buffer[]): Promise<(GuessCount | undefined)[]>;
  /** Adds one failure to each key, starting anew where the last one is forgotten; the counts afterwards. */
  abstract fail(keys: readonly Buffer[], nowMs: number): Promise<GuessCount[]>;
  abstract clear(keys: readonly Buffer[]): Promise<void>;
}
