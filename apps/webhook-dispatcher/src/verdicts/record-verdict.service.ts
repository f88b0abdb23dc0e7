import type { VerdictKind } from '@paycode/dto';
import { FlushQueue, isDataFault } from '@paycode/persistence';
import { backoffMs, type Clock, passed } from '@paycode/timing';
import type { OwnedShards } from '@paycode/ownership';
import type { DeliveryMetrics } from '../deliveries';
import { retryLimits } from './domain/retry-limits';
import type { SettleReversals } from './settle-reversals.service';
import type { OwnedVerdict, VerdictStore } from './verdicts.ports';

/** Between two tries of a verdict that its own data keeps from being written: others wait for each of them. */
const asideMs = 30_000;

/** More can never wait: every one stands for a request that held a slot, or for a queued delivery that was closed. */
const batchMax = { flushMax: 1_000, queueMax: 1_000_000 };

/** What a verdict is worth without: for people only. */
const undescribed = { outcome: null, elapsedMs: null, armedAt: null, startedAt: null };

/**
 * Flow: verdicts of many deliveries -> one statement -> tell the scheduler. Repeated for ever while the database is away: a 200 stays in
 * memory until it is durable, and nothing can be closed meanwhile (P-1.7-5).
 *
 * A verdict that fails by its own data does the same alone (T-29): it is written without what only describes it, and if that is refused too, kept and
 * tried every 30 seconds. Until then `close` answers OPEN, so the payment is neither settled nor reversed; forgetting it instead would let the delivery be
 * taken for one that crashed, be sent again, and at last be closed although its merchant had acknowledged it (P-I4).
 */
export class RecordVerdict {
  private readonly acks: FlushQueue<OwnedVerdict, VerdictKind>;
  private readonly conclusions: FlushQueue<OwnedVerdict, VerdictKind | null>;
  private unwritten = 0;

  constructor(
    store: VerdictStore,
    shards: OwnedShards,
    private readonly settling: SettleReversals,
    private readonly metrics: DeliveryMetrics,
    private readonly options: { clock: Clock; spacing?: () => Promise<void> },
  ) {
    const limits = { ...batchMax, spacing: options.spacing };
    this.acks = new FlushQueue(verdicts => this.untilWritten(() => store.acknowledge(verdicts)), limits);
    this.conclusions = new FlushQueue(verdicts => this.untilWritten(() => store.conclude(shards.replica, verdicts)), limits);
  }

  /** Resolves after the commit to the verdict that stands; null when the shard is another replica's by now. */
  async record(verdict: OwnedVerdict, isReversible: boolean): Promise<VerdictKind | null> {
    this.metrics.verdictsWaiting(++this.unwritten);
    const queue = verdict.kind.startsWith('ACKED_') ? this.acks : this.conclusions;
    let standing: VerdictKind | null;
    try {
      [standing = null] = await queue.run([verdict]);
    } catch (error) {
      standing = await this.standingAside(queue, verdict, error);
    }
    this.metrics.verdictsWaiting(--this.unwritten);
    // Only what was armed, or would have been, concerns the scheduler (P-I13).
    if (standing && isReversible)
      this.settling.tell({ transactionId: verdict.transactionId, merchantId: verdict.merchantId, verdict: standing });
    return standing;
  }

  /** @throws what is not the verdict's own fault */
  private async standingAside(
    queue: FlushQueue<OwnedVerdict, VerdictKind | null>,
    verdict: OwnedVerdict,
    fault: unknown,
  ): Promise<VerdictKind | null> {
    if (!isDataFault(fault)) throw fault;
    this.metrics.setAside('verdict', verdict.transactionId, fault);
    for (;;) {
      try {
        return (await queue.run([{ ...verdict, ...undescribed }]))[0] ?? null;
      } catch (error) {
        if (!isDataFault(error)) throw error;
        this.metrics.verdictWriteFailed(error);
        await passed(this.options.clock, asideMs);
      }
    }
  }

  private async untilWritten<T>(write: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await write();
      } catch (error) {
        if (isDataFault(error)) throw error;
        this.metrics.verdictWriteFailed(error);
        await passed(this.options.clock, backoffMs(failures, retryLimits, 0));
      }
    }
  }
}
