import { type CloseAnswer, type Decision, storedVersion, type VerdictKind } from '@paycode/dto';
import { type OwnedShards, shardOf } from '@paycode/ownership';
import { DataFault, type FlushPauses, FlushQueue, isDataFault, isolate } from '@paycode/persistence';
import { backoffMs, type Clock, passed } from '@paycode/service-runtime/timing';
import type { DeliveryMetrics, DeliveryStore, PlacedCloseItem } from '../deliveries/deliveries.ports';
import {
  type AttemptRules,
  chargedOutcome,
  isTooOld,
  isZoneFailure,
  mayHaveBeenSent,
  retryLimits,
} from '../deliveries/domain/attempt-rules';
import { type Conclusion, conclusionOf, conclusionWithout, isAcknowledged } from '../deliveries/domain/conclusion';
import { type AttemptOutcome, type Delivery, type Next, nextAttempt, zoneFailing } from '../deliveries/domain/delivery';
import type { InformationalStore } from '../informational/informational.store';
import type { SettleReversals } from './settle-reversals';
import type { OwnedVerdict, VerdictStore } from './verdict.store';

/** OVER: it has its verdict. */
export type Concluded = Next<'OVER' | 'RETRY_LATER' | 'FENCED'>;

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

  async attempted(delivery: Delivery, ended: AttemptOutcome, startedAt: Date): Promise<Concluded> {
    const nowMs = this.clock.nowMs();
    const outcome = chargedOutcome(ended, delivery, nowMs);
    this.metrics.attempted(outcome);
    const conclusion = conclusionOf(delivery, outcome);
    if (conclusion) return this.record(delivery, conclusion, startedAt);
    if (outcome.kind === 'OUR_FAULT') this.metrics.heldBack(Object.assign(new Error(outcome.code), { code: outcome.code }));
    // The platform failed after the request had left, so the merchant may have acknowledged it. The next try is another
    // attempt.
    if (outcome.kind === 'OUR_FAULT' && outcome.isSent) {
      if (delivery.isReversible && delivery.attempt >= this.rules.attemptsMax)
        return this.without(delivery, 'CLOSED_EXHAUSTED', outcome.code);
      return this.heldBack(nextAttempt(delivery));
    }
    return this.heldBack(isZoneFailure(outcome) ? zoneFailing(delivery, nowMs) : delivery);
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
    const version = delivery.version ?? storedVersion;
    const { outcome, elapsedMs, retryAfterMs, unanswered } = conclusion;
    try {
      await this.informational.finish([
        { transactionId, attempt, epoch, version, outcome, elapsedMs, startedAt, retryAfterMs, unanswered },
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

/**
 * Pause between two tries of a verdict whose own data prevents its writing. It is long, because other verdicts wait for
 * each try.
 */
const parkedMs = 30_000;

/** More can never wait: each verdict belongs to a request that held a slot, or to a queued delivery that was closed. */
const batchMax = { flushMax: 1_000, queueMax: 1_000_000 };

/** Clears the columns that only operators read. */
const undescribed = { outcome: null, elapsedMs: null, armedAt: null, startedAt: null, unanswered: undefined };

/**
 * Flow: verdicts of many deliveries -> one statement -> tell the scheduler what its outbox row does not say. It retries without end while the database is down: a 200
 * stays in memory until it is durable, and no delivery can be closed meanwhile (P-1.7-5).
 *
 * A verdict whose own data is refused is retried alone (T-29). It is written without its descriptive columns; if the database refuses that
 * too, it is kept and tried every 30 seconds. Until then `close` answers OPEN, so the payment is neither settled nor reversed. If the
 * replica dropped the verdict, recovery would treat the delivery as crashed, send it again, and might close it although its merchant had
 * acknowledged it (P-I4).
 */
export class RecordVerdict {
  private readonly acks: FlushQueue<OwnedVerdict, VerdictKind | null>;
  private readonly conclusions: FlushQueue<OwnedVerdict, VerdictKind | null>;
  private unwritten = 0;

  constructor(
    store: VerdictStore,
    shards: OwnedShards,
    private readonly settling: SettleReversals,
    private readonly metrics: DeliveryMetrics,
    private readonly options: { clock: Clock; flushing: FlushPauses },
  ) {
    const limits = { ...batchMax, ...options.flushing };
    this.acks = new FlushQueue(verdicts => this.untilWritten(() => store.acknowledge(verdicts)), limits);
    this.conclusions = new FlushQueue(verdicts => this.untilWritten(() => store.conclude(shards.replica, verdicts)), limits);
  }

  /** Resolves after the commit to the valid verdict; null when another replica owns the shard by now. */
  async record(verdict: OwnedVerdict, isReversible: boolean): Promise<VerdictKind | null> {
    this.metrics.verdictsWaiting(++this.unwritten);
    // Taken now, not when it is written: that may be long after, and a payment that is settled late must show as late.
    const acknowledgedAt = isAcknowledged(verdict.kind) ? new Date(this.options.clock.epochMs()) : undefined;
    const standing = await this.written({ ...verdict, acknowledgedAt });
    this.metrics.verdictsWaiting(--this.unwritten);
    // Only reversible payments concern the scheduler (P-I13).
    if (standing && isReversible) this.report(verdict, standing);
    return standing;
  }

  private report({ transactionId, merchantId, kind }: OwnedVerdict, standing: VerdictKind): void {
    // A getNotification that came first is the acknowledgement that counts, so this one is in no count.
    if (isAcknowledged(standing) && standing === kind) this.metrics.acknowledged();
    this.settling.add({ transactionId, merchantId, verdict: standing });
  }

  private async written(verdict: OwnedVerdict): Promise<VerdictKind | null> {
    const queue = isAcknowledged(verdict.kind) ? this.acks : this.conclusions;
    try {
      return (await queue.run([verdict]))[0] ?? null;
    } catch (error) {
      return this.standingAside(queue, verdict, error);
    }
  }

  /** @throws every error that the verdict's own data did not cause */
  private async standingAside(
    queue: FlushQueue<OwnedVerdict, VerdictKind | null>,
    verdict: OwnedVerdict,
    fault: unknown,
  ): Promise<VerdictKind | null> {
    if (!isDataFault(fault)) throw fault;
    this.metrics.workParked('verdict', verdict.transactionId, fault);
    for (;;) {
      try {
        return (await queue.run([{ ...verdict, ...undescribed }]))[0] ?? null;
      } catch (error) {
        if (!isDataFault(error)) throw error;
        this.metrics.verdictWriteFailed(error);
        await passed(this.options.clock, parkedMs);
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

/**
 * Flow: the scheduler's timer or audit asks -> a stub for a transaction without a delivery -> the stored verdict, or OPEN while an
 * owner holds the delivery. Time alone never closes a delivery here.
 */
export class CloseDeliveries {
  private readonly closes: FlushQueue<PlacedCloseItem, CloseAnswer | undefined>;

  constructor(
    store: DeliveryStore,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.closes = new FlushQueue(
      async items => {
        const distinct = new Map(items.map(item => [item.transactionId, { ...item, shard: shardOf(item.transactionId) }]));
        const answers = new Map((await store.close([...distinct.values()])).map(answer => [answer.transactionId, answer]));
        return items.map(({ transactionId, step }) => {
          const answer = answers.get(transactionId);
          if (!answer && step === undefined) throw new DataFault('the store has no answer for a transaction');
          return answer;
        });
      },
      { flushMax: 1_000, queueMax: 20_000 },
    );
  }

  /**
   * A transaction whose own data fails has no answer: the scheduler asks again and decides nothing. The others get their answers
   * (T-29). Nor has one whose cell is another one by now.
   */
  async close(items: readonly PlacedCloseItem[]): Promise<CloseAnswer[]> {
    const answers: CloseAnswer[] = [];
    await isolate(items, {
      write: async part => void answers.push(...(await this.closes.run(part)).filter(answer => answer !== undefined)),
      failed: ({ transactionId }, error) => this.metrics.workParked('close', transactionId, error),
    });
    return answers;
  }
}
