import type { SettleItem } from '@paycode/dto';
import { isolate } from '@paycode/persistence';
import { backoffMs, type Clock, passed } from '@paycode/timing';
import type { ReversalScheduler } from '../arming';
import type { DeliveryMetrics } from '../deliveries';
import { retryLimits } from './domain/retry-limits';

const itemsPerCallMax = 1_000;
const itemsKeptMax = 50_000;
/** Pause between two calls, so that more items share one. Nothing waits for these calls. */
const pauseMs = 10;

/** `acknowledgedMs`: when the merchant acknowledged, on this process's clock; null when it did not. */
interface Waiting {
  item: SettleItem;
  acknowledgedMs: number | null;
}

/**
 * Tells the scheduler about verdicts at once, so that a payment is settled or reversed in milliseconds. This is only the fast path: a
 * lost item reaches the scheduler by AckReceived, or when its timer or audit asks `close`.
 */
export class SettleReversals {
  private waiting: Waiting[] = [];
  private isTelling = false;
  private failures = 0;

  constructor(
    private readonly scheduler: ReversalScheduler,
    private readonly clock: Clock,
    private readonly metrics: Pick<DeliveryMetrics, 'workParked' | 'settled'>,
  ) {}

  tell(item: SettleItem, acknowledgedMs: number | null = null): void {
    // The scheduler does not answer. Drop the oldest: it is the most likely to know them by now.
    if (this.waiting.length >= itemsKeptMax) this.waiting.splice(0, itemsPerCallMax);
    this.waiting.push({ item, acknowledgedMs });
    if (!this.isTelling) void this.tellAll();
  }

  /** Resolves when all items so far were sent, or after one failure. */
  async drain(): Promise<void> {
    await this.tellOnce();
  }

  private async tellAll(): Promise<void> {
    this.isTelling = true;
    while (this.waiting.length > 0) {
      const isTold = await this.tellOnce();
      await passed(this.clock, isTold ? pauseMs : backoffMs(this.failures, retryLimits, 0));
    }
    this.isTelling = false;
  }

  private async tellOnce(): Promise<boolean> {
    const items = this.waiting.splice(0, itemsPerCallMax);
    try {
      await isolate(items, {
        write: part => this.write(part),
        // This path drops the item, as it may: AckReceived and the timer are the durable ways.
        failed: ({ item: { transactionId } }, error) => this.metrics.workParked('settle', transactionId, error),
      });
      this.failures = 0;
      return true;
    } catch {
      // The call is idempotent, so repeating it is safe. The scheduler's health and the metrics of the calls show the
      // failure.
      this.failures++;
      this.waiting.unshift(...items);
      return false;
    }
  }
  private async write(part: readonly Waiting[]): Promise<void> {
    await this.scheduler.settle(part.map(({ item }) => item));
    const nowMs = this.clock.nowMs();
    for (const { acknowledgedMs } of part) if (acknowledgedMs !== null) this.metrics.settled(nowMs - acknowledgedMs);
  }
}
