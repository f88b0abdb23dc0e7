import type { StoredDelivery } from '../deliveries';

/** Notices that move no money and are tried again. */
export abstract class NoticeStore {
  /** Takes up to `limit` due notices of the lanes for `leaseMs`; a crash meanwhile makes them due again after it. */
  abstract takeDue(lanes: readonly number[], limit: number, leaseMs: number): Promise<DueNotice[]>;
  /** Records attempts; a notice with a pause is due again after it, one without is over. */
  abstract finish(attempts: readonly NoticeAttempt[]): Promise<void>;
  /** Makes a notice due now, once more. */
  abstract redeliver(transactionId: number, lane: number): Promise<'SCHEDULED' | 'UNKNOWN' | 'MOVES_MONEY' | 'UNDER_WAY'>;
}

export interface DueNotice extends StoredDelivery {
  /** Attempt that is due. */
  attempt: number;
}

export interface NoticeAttempt {
  transactionId: number;
  attempt: number;
  epoch: number;
  outcome: string | null;
  elapsedMs: number | null;
  startedAt: Date | null;
  retryAfterMs: number | null;
}
