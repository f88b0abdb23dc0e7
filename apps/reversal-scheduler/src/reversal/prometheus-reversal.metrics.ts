import { Inject, Injectable } from '@nestjs/common';
import { counter, histogram, scrapedGauge } from '@paycode/service-runtime/metrics';
import { countParked, dataFaultReason } from '@paycode/persistence';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PacedLines } from '@paycode/service-runtime/timing';
import type { Decision } from '@paycode/dto';
import { ReversalMetrics } from './reversal.ports';

/** Metrics of the capability. Ids are never metric labels. */
@Injectable()
export class PrometheusReversalMetrics extends ReversalMetrics {
  private readonly armedTotal = counter('paycode_reversal_scheduler_payments_armed_total', 'Arm requests made durable.');
  private readonly watchedTotal = counter(
    'paycode_reversal_scheduler_payments_watched_total',
    'Payments the audit found without job and decision.',
  );
  private readonly decidedTotal = counter('paycode_reversal_scheduler_decisions_total', 'Decisions made.', ['decision']);
  private readonly askedTotal = counter('paycode_reversal_scheduler_timers_asked_total', 'Due timers asked about, by outcome.', [
    'outcome',
  ]);
  private readonly contradictedTotal = counter(
    'paycode_reversal_scheduler_decisions_contradicted_total',
    'Verdicts that contradict the existing decision; must stay 0.',
    ['kind'],
  );
  private readonly unprovenTotal = counter(
    'paycode_reversal_scheduler_acknowledgements_unproven_total',
    'AckReceived events that settle nothing: the payment is not armed yet (they are kept until it is), or was armed with another token (they are parked; somebody else than the dispatcher may have written them).',
    ['why'],
  );
  private readonly unprovenLines = new PacedLines();
  private readonly lateness = histogram(
    'paycode_reversal_scheduler_decision_lateness_seconds',
    'Time between the due time of a job and its decision, for decisions that followed a timer.',
    { buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900] },
  );
  private readonly settledAfter = histogram(
    'paycode_reversal_scheduler_acknowledgement_to_settled_seconds',
    "Between a merchant's answer, by the dispatcher's clock, and the decision that AckReceived brought. Of the dispatcher's acknowledgements those that are missing here are not settled yet, or were by their timer.",
    { buckets: [0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300] },
  );

  constructor(@Inject(LOGGER) private readonly logger: Logger) {
    super();
    for (const kind of ['ack_after_reversed', 'closed_after_settled']) this.contradictedTotal.inc({ kind }, 0);
    for (const why of ['NOT_ARMED', 'OTHER_TOKEN']) this.unprovenTotal.inc({ why }, 0);
    for (const decision of ['SETTLED', 'REVERSED']) this.decidedTotal.inc({ decision }, 0);
  }

  override armed(count: number): void {
    this.armedTotal.inc(count);
  }
  override watched(count: number): void {
    this.watchedTotal.inc(count);
  }
  override decided(decision: Decision, count: number): void {
    this.decidedTotal.inc({ decision }, count);
  }
  override decidedLate(lateMs: number): void {
    this.lateness.observe(Math.max(0, lateMs) / 1_000);
  }
  override settled(afterMs: number): void {
    // Two hosts' clocks may differ by some milliseconds.
    this.settledAfter.observe(Math.max(0, afterMs) / 1_000);
  }
  override asked(outcome: 'decided' | 'open' | 'fault', count: number): void {
    this.askedTotal.inc({ outcome }, count);
  }

  override contradicted(kind: 'ack_after_reversed' | 'closed_after_settled', transactionId: number): void {
    this.contradictedTotal.inc({ kind });
    this.logger.error({ event: kind, transactionId }, 'a verdict contradicts the existing decision');
  }

  override unproven(why: 'NOT_ARMED' | 'OTHER_TOKEN', transactionId: number): void {
    this.unprovenTotal.inc({ why });
    const count = why === 'OTHER_TOKEN' ? this.unprovenLines.due(why) : 0;
    if (count > 0)
      this.logger.warn(
        { event: 'acknowledgement-unproven', transactionId, count },
        'AckReceived does not carry the token that the payment was armed with: it settles nothing and is parked',
      );
  }

  override workParked(step: 'arm' | 'decide' | 'close', transactionId: number, error: unknown): void {
    countParked(step);
    const reason = dataFaultReason(error);
    this.logger.error(
      { event: 'work-parked', source: step, transactionId, reason },
      'the data of a payment makes this step fail; it was parked',
    );
  }

  /** Gauges read when scraped. */
  observe(read: { overdueMs: () => number; timers: () => number }): void {
    const help = 'Age past due of the oldest undecided job in memory.';
    scrapedGauge({ name: 'paycode_reversal_scheduler_oldest_overdue_seconds', help }, gauge =>
      gauge.set(read.overdueMs() / 1_000),
    );
    scrapedGauge({ name: 'paycode_reversal_scheduler_timers', help: 'Timers in memory.' }, gauge => gauge.set(read.timers()));
  }
}
