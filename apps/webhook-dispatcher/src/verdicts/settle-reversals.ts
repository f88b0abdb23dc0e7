import type { SettleItem } from '@paycode/dto';
import { isolate } from '@paycode/persistence';
import { backoffMs, type Clock, passed } from '@paycode/service-runtime/timing';
import type { ReversalScheduler } from '../arming/reversal-scheduler.client';
import type { DeliveryMetrics } from '../deliveries/deliveries.ports';
import { retryLimits } from '../deliveries/domain/attempt-rules';

const itemsPerCallMax = 1_000;
const itemsKeptMax = 50_000;
/** Pause between two calls, so that more items share one. Nothing waits for these calls. */
const pauseMs = 10;

/**
 * Tells the scheduler at once about verdicts that acknowledge nothing, so that money goes back in milliseconds. This is only the fast
 * path: a lost item reaches the scheduler when its timer or audit asks `close`. The acknowledgement of a webhook is said once, by AckReceived: it
 * ends a wait that is due a minute later, so nothing hurries. That of a read is sent too: a merchant may read before its payment is armed,
 * and AckReceived settles armed payments alone (T-18).
 */
export class SettleReversals {
  private waiting: SettleItem[] = [];
  private isSending = false;
  private failures = 0;

  constructor(
    private readonly scheduler: ReversalScheduler,
    private readonly clock: Clock,
    private readonly metrics: Pick<DeliveryMetrics, 'workParked'>,
  ) {}

  add(item: SettleItem): void {
    if (item.verdict === 'ACKED_HTTP') return;
    // The scheduler does not answer. Drop the oldest: it is the most likely to know them by now.
    if (this.waiting.length >= itemsKeptMax) this.waiting.splice(0, itemsPerCallMax);
    this.waiting.push(item);
    if (!this.isSending) void this.sendAll();
  }

  /** Resolves when all items so far were sent, or after one failure. */
  async drain(): Promise<void> {
    await this.sendOnce();
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    while (this.waiting.length > 0) {
      const isSent = await this.sendOnce();
      await passed(this.clock, isSent ? pauseMs : backoffMs(this.failures, retryLimits, 0));
    }
    this.isSending = false;
  }

  private async sendOnce(): Promise<boolean> {
    const items = this.waiting.splice(0, itemsPerCallMax);
    try {
      await isolate(items, {
        write: part => this.scheduler.settle(part),
        // This path drops the item, as it may: the timer is the durable way.
        failed: ({ transactionId }, error) => this.metrics.workParked('settle', transactionId, error),
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
}
