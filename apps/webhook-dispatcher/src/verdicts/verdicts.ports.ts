import type { VerdictKind } from '@paycode/dto';
import type { Verdict } from '../deliveries';

/** The write-once register. */
export abstract class VerdictStore {
  /**
   * Writes acknowledgements, from any replica and under any epoch, each with its AckReceived in the same commit. Returns the valid
   * verdict of each id, in order. A read (ACKED_PULL) of a payment that the core has reversed writes nothing; null: nor is there another
   * verdict. The receiver's own 200 counts all the same: it decides only that the core is not asked for a reversal.
   */
  abstract acknowledge(verdicts: readonly Verdict[]): Promise<(VerdictKind | null)[]>;
  /**
   * Writes all other verdicts, only for the owner of the shard. Returns the valid verdicts, in order; null when the shard has another owner
   * or epoch.
   */
  abstract conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]>;
}

export interface OwnedVerdict extends Verdict {
  shard: number;
  epoch: number;
  /** An informational delivery that failed is tried again after this many milliseconds; null: never. */
  retryAfterMs: number | null;
}
