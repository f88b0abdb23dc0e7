import type { SettleItem } from '@paycode/dto';
import { isolate } from '@paycode/persistence';
import { backoffMs, type Clock, passed } from '@paycode/timing';
import type { ReversalScheduler } from '../arming';
import type { DeliveryMetrics } from '../deliveries';
import { retryLimits } from './domain/retry-limits';

const itemsPerCallMax = 1_000;
const itemsKeptMax = 50_000;
/** Between two calls: a call costs as much as many items, and nobody waits for this one. */
const pauseMs = 10;

/**
 * Tells the scheduler about verdicts at once, so that a payment is settled or reversed in milliseconds. Only the fast path: what is lost
 * here arrives by AckReceived, or when the scheduler's timer or audit asks `close`.
 */
export class SettleReversals {
  private waiting: SettleItem[] = [];
  private isTelling = false;
  private failures = 0;

  constructor(
    private readonly scheduler: ReversalScheduler,
    private readonly clock: Clock,
    private readonly metrics: Pick<DeliveryMetrics, 'setAside'>,
  ) {}

  tell(item: SettleItem): void {
    // The scheduler is away: the oldest are the likeliest to be known to it by now.
    if (this.waiting.length >= itemsKeptMax) this.waiting.splice(0, itemsPerCallMax);
    this.waiting.push(item);
    if (!this.isTelling) void this.tellAll();
  }

  /** Resolves when everything told so far was passed on, or after one failure. */
  async drain(): Promise<void> {
    if (this.waiting.length > 0) await this.tellOnce();
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
        write: part => this.scheduler.settle(part),
        // Told no more by this way, which may lose it: AckReceived and the timer are the durable ones.
        failed: ({ transactionId }, error) => this.metrics.setAside('settle', transactionId, error),
      });
      this.failures = 0;
      return true;
    } catch {
      // Idempotent, so repeating is safe; that the scheduler is away shows in its own health and in the calls' metrics.
      this.failures++;
      this.waiting.unshift(...items);
      return false;
    }
  }
}
