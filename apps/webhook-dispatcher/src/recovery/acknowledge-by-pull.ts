import type { VerdictKind } from '@paycode/dto';
import { FlushQueue } from '@paycode/persistence';
import type { SettleReversals } from '../verdicts/settle-reversals';
import type { VerdictStore } from '../verdicts/verdict.store';
import type { StoredNotification } from './notification.store';

/**
 * Writes ACKED_PULL into the verdict register and tells the scheduler. A failed write rejects, because the reply must not be sent
 * without the verdict. Nothing is told when the core has given the money back: then nothing was written.
 */
export class AcknowledgeByPull {
  private readonly acks: FlushQueue<StoredNotification, VerdictKind | null>;

  constructor(
    verdicts: VerdictStore,
    private readonly settling: Pick<SettleReversals, 'tell'>,
  ) {
    const write = (notifications: readonly StoredNotification[]) => verdicts.acknowledge(notifications.map(verdictFor));
    this.acks = new FlushQueue(write, { flushMax: 1_000, queueMax: 10_000 });
  }

  /** Resolves after the commit. */
  async acknowledge(notification: StoredNotification): Promise<void> {
    const [verdict] = await this.acks.run([notification]);
    const { transactionId, merchantId } = notification;
    if (verdict) this.settling.tell({ transactionId, merchantId, verdict });
  }
}

function verdictFor({ transactionId, merchantId, attemptsClaimed }: StoredNotification) {
  const none = { outcome: null, elapsedMs: null, armedAt: null, startedAt: null };
  return { ...none, transactionId, merchantId, kind: 'ACKED_PULL' as const, attempt: attemptsClaimed || null };
}
