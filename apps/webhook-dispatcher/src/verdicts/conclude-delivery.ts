import type { Decision, VerdictKind } from '@paycode/dto';
import type { Clock } from '@paycode/timing';
import type { DeliveryMetrics } from '../deliveries/deliveries.ports';
import { type AttemptRules, isTooOld, mayHaveBeenSent } from '../deliveries/domain/attempt-rules';
import { type AttemptOutcome, type Delivery, nextAttempt } from '../deliveries/domain/delivery';
import type { InformationalStore } from '../informational/informational.store';
import { type Conclusion, conclusionOf, conclusionWithout } from './domain/conclusion';
import type { RecordVerdict } from './record-verdict';

/** No verdict was recorded. */
export type NotRecorded =
  /** The platform had a fault; `delivery` is the next attempt. */
  | { readonly next: 'RETRY_LATER'; readonly delivery: Delivery }
  /** The shard got another owner or epoch before the verdict; its owner, perhaps this replica again, looks for the delivery. */
  | { readonly next: 'FENCED' };

/** OVER: nothing more to do. */
export type Concluded = { readonly next: 'OVER' } | NotRecorded;

const over: Concluded = { next: 'OVER' };

/** Flow: how an attempt ended -> verdict or another try -> durable verdict -> report. */
export class ConcludeDelivery {
  constructor(
    private readonly verdicts: RecordVerdict,
    private readonly informational: InformationalStore,
    private readonly rules: AttemptRules,
    private readonly clock: Clock,
    private readonly metrics: DeliveryMetrics,
  ) {}

  async attempted(delivery: Delivery, outcome: AttemptOutcome, startedAt: Date): Promise<Concluded> {
    this.metrics.attempted(outcome);
    const conclusion = conclusionOf(delivery, outcome);
    if (conclusion) return this.record(delivery, conclusion, startedAt);
    // The platform failed after the request had left, so the merchant may have acknowledged it. The next try is another
    // attempt.
    if (outcome.kind === 'OUR_FAULT' && outcome.isSent) {
      if (delivery.isReversible && delivery.attempt >= this.rules.attemptsMax)
        return this.without(delivery, 'CLOSED_EXHAUSTED', outcome.code);
      return this.heldBack(nextAttempt(delivery));
    }
    return this.heldBack(delivery);
  }

  /**
   * A fault of the platform holds the delivery back until B. Then it is closed without an attempt, unless an earlier attempt may have been
   * acknowledged (A-12, P-T8).
   */
  async heldBack(delivery: Delivery): Promise<Concluded> {
    if (mayHaveBeenSent(delivery) || !isTooOld(this.clock.nowMs() - delivery.receivedMs, this.rules))
      return { next: 'RETRY_LATER', delivery };
    return delivery.isReversible
      ? this.without(delivery, 'CLOSED_BACKSTOP', null)
      : this.without(delivery, 'NOT_APPLICABLE', 'NOT SENT');
  }

  /**
   * The scheduler has decided, so there must be a verdict. If there is none, this database was restored to an instant before it; then this
   * writes a verdict that agrees with the decision (P-I6).
   */
  decidedBefore(delivery: Delivery, decision: Decision): Promise<Concluded> {
    return this.without(delivery, decision === 'SETTLED' ? 'NOT_APPLICABLE' : 'CLOSED_BACKSTOP', 'DECIDED BEFORE');
  }

  /** Records a verdict without a request. */
  without(
    delivery: Delivery,
    kind: 'NOT_APPLICABLE' | 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP',
    outcome: string | null,
  ): Promise<Concluded> {
    return this.record(delivery, conclusionWithout(kind, outcome), null);
  }

  private async record(delivery: Delivery, conclusion: Conclusion, startedAt: Date | null): Promise<Concluded> {
    if (delivery.isRepeat) return this.recordRepeat(delivery, conclusion, startedAt);
    const { transactionId, merchantId, shard, epoch, armedAtMs } = delivery;
    const armedAt = armedAtMs === null ? null : new Date(armedAtMs);
    const standing = await this.verdicts.record(
      { ...conclusion, transactionId, merchantId, shard, epoch, armedAt, startedAt },
      delivery.isReversible,
    );
    if (!standing) return { next: 'FENCED' };
    this.report(delivery, conclusion, standing);
    return over;
  }

  /**
   * A repeated informational delivery has its verdict since its first attempt. If the attempt cannot be recorded, the delivery is tried
   * again when its lease ends.
   */
  private async recordRepeat(delivery: Delivery, conclusion: Conclusion, startedAt: Date | null): Promise<Concluded> {
    const { transactionId, attempt, epoch } = delivery;
    const { outcome, elapsedMs, retryAfterMs, unanswered } = conclusion;
    try {
      await this.informational.finish([
        { transactionId, attempt, epoch, outcome, elapsedMs, startedAt, retryAfterMs, unanswered },
      ]);
      this.report(delivery, conclusion, conclusion.kind);
    } catch (error) {
      this.metrics.heldBack(error);
    }
    return over;
  }

  private report(delivery: Delivery, { outcome }: Conclusion, verdict: VerdictKind): void {
    this.metrics.concluded({ delivery, verdict, outcome, ageMs: this.clock.nowMs() - delivery.receivedMs });
  }
}
