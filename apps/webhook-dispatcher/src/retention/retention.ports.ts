import type { Block, IdHead } from './domain/plan-retention';

export abstract class BlockStore {
  /** Runs `work` unless another replica runs it now. */
  abstract exclusively(work: () => Promise<void>): Promise<void>;
  abstract blocks(): Promise<Block[]>;
  /** undefined while too little is known. */
  abstract head(): Promise<IdHead | undefined>;
  /** False when ids of the range are in use already. */
  abstract open(range: { lower: number; upper: number }): Promise<boolean>;
  abstract markPassed(blocks: readonly number[]): Promise<void>;
  /** False when something in the block is not concluded. */
  abstract drop(block: number): Promise<boolean>;
  /** Deletes concluded rows outside every block that are older than this, up to a bound; returns how many deliveries went. */
  abstract deleteStrays(olderThanMs: number): Promise<number>;
}
