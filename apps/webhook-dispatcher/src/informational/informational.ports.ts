import type { StoredDelivery, Unanswered } from '../deliveries';

/** Informational deliveries: they move no money and are tried again. */
export abstract class InformationalStore {
  /** Takes up to `limit` due repeats of the shards for `leaseMs`; a crash meanwhile makes them due again after it. */
  abstract takeDue(shards: readonly number[], limit: number, leaseMs: number): Promise<DueRepeat[]>;
  /** Records attempts. A delivery with a pause is due again after it; one without a pause is finished. */
  abstract finish(attempts: readonly RepeatAttempt[]): Promise<void>;
  /** Makes a delivery due now, once more. */
  abstract redeliver(transactionId: number, shard: number): Promise<'SCHEDULED' | 'UNKNOWN' | 'MOVES_MONEY' | 'UNDER_WAY'>;
}

export interface DueRepeat extends StoredDelivery {
  /** Attempt that is due. */
  attempt: number;
}

export interface RepeatAttempt {
  transactionId: number;
  attempt: number;
  epoch: number;
  outcome: string | null;
  elapsedMs: number | null;
  startedAt: Date | null;
  retryAfterMs: number | null;
  unanswered?: Unanswered | undefined;
}
