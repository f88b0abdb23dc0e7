import type { IdRange, IdHead } from './domain/plan-retention';

export abstract class IdRangeStore {
  /** Runs `work` unless another replica runs it now. */
  abstract exclusively(work: () => Promise<void>): Promise<void>;
  abstract ranges(): Promise<IdRange[]>;
  /** undefined while there are too few rows to tell. */
  abstract head(): Promise<IdHead | undefined>;
  /** False when ids of the range are in use already. */
  abstract open(range: { lower: number; upper: number }): Promise<boolean>;
  abstract markPassed(ranges: readonly number[]): Promise<void>;
  /** False when something in the range is not concluded. */
  abstract drop(range: number): Promise<boolean>;
  /**
   * Deletes concluded rows outside every range that are older than this, up to a bound; returns how many deliveries it
   * deleted.
   */
  abstract deleteStrays(olderThanMs: number): Promise<number>;
}
