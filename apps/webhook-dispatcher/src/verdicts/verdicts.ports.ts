import type { VerdictKind } from '@paycode/dto';
import type { Verdict } from '../deliveries';

/** The write-once register. */
export abstract class VerdictStore {
  /**
   * Acknowledgements, from anyone and under any epoch, each with its AckReceived in the same commit. Answers the verdict that stands for
   * each id, in order.
   */
  abstract acknowledge(verdicts: readonly Verdict[]): Promise<VerdictKind[]>;
  /** Everything else: only from the owner of the shard. Answers what stands, in order; null when it was refused because the shard moved on. */
  abstract conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]>;
}

export interface OwnedVerdict extends Verdict {
  shard: number;
  epoch: number;
  /** An informational delivery that failed is tried again after this many milliseconds; null: never. */
  retryAfterMs: number | null;
}
