import type { Decision, VerdictKind } from '@paycode/dto';
import type { Clock } from '@paycode/timing';
import {
  type AttemptOutcome,
  type AttemptRules,
  type Delivery,
  type DeliveryMetrics,
  isTooOld,
  mayHaveBeenSent,
  nextAttempt,
} from '../deliveries';
import type { InformationalStore } from '../informational';
import { type Conclusion, conclusionOf, conclusionWithout } from './domain/conclusion';
import type { RecordVerdict } from './record-verdict.service';

/** No verdict was recorded. */
export type NotRecorded =
  /** The fault is ours; `delivery` is what comes next. */
  | { readonly next: 'RETRY_LATER'; readonly delivery: Delivery }
  /** The shard moved on before the verdict: its owner, maybe this replica again, looks for the delivery. */
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
    // A fault of ours after the request had left: it may have been acknowledged. The next try is another attempt.
    if (outcome.kind === 'OUR_FAULT' && outcome.isSent) {
      if (delivery.isReversible && delivery.attempt >= this.rules.attemptsMax)
        return this.without(delivery, 'CLOSED_EXHAUSTED', outcome.code);
      return this.heldBack(nextAttempt(delivery));
    }
    return this.heldBack(delivery);
  }

  /** Held back by a fault of ours: until B, then it is closed without an attempt (A-12, P-T8), unless an earlier one may have been acknowledged. */
  async heldBack(delivery: Delivery): Promise<Concluded> {
    if (mayHaveBeenSent(delivery) || !isTooOld(this.clock.nowMs() - delivery.receivedMs, this.rules))
      return { next: 'RETRY_LATER', delivery };
    return delivery.isReversible
      ? this.without(delivery, 'CLOSED_BACKSTOP', null)
      : this.without(delivery, 'NOT_APPLICABLE', 'NOT SENT');
  }

  /**
   * The scheduler has decided, so a verdict stands. If it does not, this database was restored to an instant before it: then a verdict that agrees
   * with the decision takes its place (P-I6).
   */
  decidedBefore(delivery: Delivery, decision: Decision): Promise<Concluded> {
    return this.without(delivery, decision === 'SETTLED' ? 'NOT_APPLICABLE' : 'CLOSED_BACKSTOP', 'DECIDED BEFORE');
  }

  /** A verdict that no request led to. */
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

  /** The verdict of a repeated informational delivery stands since its first attempt. What cannot be recorded is tried again when its lease ends. */
  private async recordRepeat(delivery: Delivery, conclusion: Conclusion, startedAt: Date | null): Promise<Concluded> {
    const { transactionId, attempt, epoch } = delivery;
    const { outcome, elapsedMs, retryAfterMs } = conclusion;
    try {
      await this.informational.finish([{ transactionId, attempt, epoch, outcome, elapsedMs, startedAt, retryAfterMs }]);
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
