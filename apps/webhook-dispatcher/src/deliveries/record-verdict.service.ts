import type { VerdictKind } from '@paycode/dto';
import { FlushQueue } from '@paycode/persistence';
import { type Clock, passed } from '../clock';
import type { LaneOwnership } from '../lanes';
import type { DeliveryMetrics, OwnedVerdict, VerdictStore } from './deliveries.ports';
import { retryDelayMs } from './domain/retry-delay';
import type { SettleReversals } from './settle-reversals.service';

/** More can never wait: every one stands for a request that held a slot, or for a queued delivery that was closed. */
const batchMax = { flushMax: 1_000, queueMax: 1_000_000 };

/**
 * Flow: verdicts of many deliveries -> one statement -> tell the scheduler. Repeated for ever while the database is away: a 200 stays in
 * memory until it is durable, and nothing can be closed meanwhile (1.7 row 5).
 */
export class RecordVerdict {
  private readonly acks: FlushQueue<OwnedVerdict, VerdictKind>;
  private readonly conclusions: FlushQueue<OwnedVerdict, VerdictKind | null>;
  private unwritten = 0;

  constructor(
    store: VerdictStore,
    lanes: LaneOwnership,
    private readonly settling: SettleReversals,
    private readonly metrics: DeliveryMetrics,
    private readonly options: { clock: Clock; spacing?: () => Promise<void> },
  ) {
    const limits = { ...batchMax, spacing: options.spacing };
    this.acks = new FlushQueue(verdicts => this.untilWritten(() => store.acknowledge(verdicts)), limits);
    this.conclusions = new FlushQueue(verdicts => this.untilWritten(() => store.conclude(lanes.replica, verdicts)), limits);
  }

  /** Resolves after the commit to the verdict that stands; null when the lane is another replica's by now. */
  async record(verdict: OwnedVerdict, isReversible: boolean): Promise<VerdictKind | null> {
    this.metrics.verdictsWaiting(++this.unwritten);
    const queue = verdict.kind.startsWith('ACKED_') ? this.acks : this.conclusions;
    const [standing = null] = await queue.run([verdict]);
    this.metrics.verdictsWaiting(--this.unwritten);
    // Only what was armed, or would have been, concerns the scheduler (I13).
    if (standing && isReversible)
      this.settling.tell({ transactionId: verdict.transactionId, merchantId: verdict.merchantId, verdict: standing });
    return standing;
  }

  private async untilWritten<T>(write: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await write();
      } catch (error) {
        this.metrics.verdictWriteFailed(error);
        await passed(this.options.clock, retryDelayMs(failures));
      }
    }
  }
}
