import type { VerdictKind } from '@paycode/dto';
import { counter, gauge, histogram, scrapedGauge } from '@paycode/service-runtime/metrics';
import { BoundedMap, PacedLines } from '@paycode/service-runtime/timing';
import { countParked, dataFaultReason } from '@paycode/persistence';
import type { Logger } from '@paycode/service-runtime';
import { DeliveryMetrics, type DeliveryReport, type ParkedStep } from '../deliveries/deliveries.ports';
import { outcomeClass } from '../deliveries/domain/conclusion';
import type { AttemptOutcome } from '../deliveries/domain/delivery';
import type { QueueLoad } from '../queueing/delivery-queue';

const ageBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 60, 120, 300, 900];

/** Reasons of the held-back metric, by the code of the fault. Everything else is OTHER: a label has few values. */
const heldBackReasons: Record<string, string> = {
  '25006': 'DATABASE_READ_ONLY',
  ARM_UNAVAILABLE: 'ARM_UNAVAILABLE',
  ARM_ANSWER: 'ARM_UNAVAILABLE',
  ROUTES_UNAVAILABLE: 'ROUTES_UNAVAILABLE',
  HANDSHAKES: 'HANDSHAKES',
  CONNECT_CONGESTED: 'HANDSHAKES',
  OWNERSHIP_UNCERTAIN: 'OWNERSHIP',
  OUTBOUND_PROXY: 'EGRESS_PROXY',
  EAI_AGAIN: 'NAME_SERVER',
  EAI_MEMORY: 'NAME_SERVER',
  ZONE_FAILED: 'RECEIVER_ZONE',
  EMFILE: 'NO_DESCRIPTOR',
  ENFILE: 'NO_DESCRIPTOR',
  EADDRNOTAVAIL: 'NO_PORT',
  EADDRINUSE: 'NO_PORT',
  ENETDOWN: 'NETWORK',
  ENETUNREACH: 'NETWORK',
  EACCES: 'NETWORK',
  EPERM: 'NETWORK',
};

export interface DeliveryLogOptions {
  /** Of so many deliveries that ended well at their first attempt, one is logged; every other delivery is. */
  deliveriesPerLogLine: number;
}

const databaseCode = /^([0-9A-Z]{5}|ECONNREFUSED|ECONNRESET|ETIMEDOUT)$/;

/** Calls to other services have codes of their own, so any other SQLSTATE or code of a socket is the database's. */
function heldBackReasonOf(error: unknown): string {
  const { code, driverError } = error as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string' && heldBackReasons[code]) return heldBackReasons[code];
  return driverError !== undefined || databaseCode.test(String(code)) ? 'DATABASE' : 'OTHER';
}

/** Metrics of every delivery, and log lines of those that somebody may look for (`isLogged`). Ids are never metric labels. */
export class PrometheusDeliveryMetrics extends DeliveryMetrics {
  private readonly ingestedTotal = counter(
    'paycode_webhook_dispatcher_events_ingested_total',
    'Terminal transactions taken in, by outcome.',
    ['outcome'],
  );
  private readonly parkedTotal = counter(
    'paycode_webhook_dispatcher_events_parked_total',
    'Events that can never be stored; must stay 0.',
  );
  private readonly attemptsTotal = counter(
    'paycode_webhook_dispatcher_attempts_total',
    'Attempts that ended, by class of outcome.',
    ['outcome'],
  );
  private readonly verdictsTotal = counter('paycode_webhook_dispatcher_verdicts_total', 'Verdicts that stand, by kind.', [
    'kind',
  ]);
  private readonly heldBackTotal = counter(
    'paycode_webhook_dispatcher_deliveries_held_back_total',
    'Deliveries held back by a fault of ours.',
    ['reason'],
  );
  private readonly writeFailuresTotal = counter(
    'paycode_webhook_dispatcher_verdict_write_failures_total',
    'Verdict writes that had to be repeated.',
  );
  private readonly unwritten = gauge('paycode_webhook_dispatcher_verdicts_unwritten', 'Verdicts that are not durable yet.');
  private readonly age = histogram(
    'paycode_webhook_dispatcher_consume_to_verdict_seconds',
    'Between receipt of the event and the durable verdict.',
    { labelNames: ['kind'], buckets: ageBuckets },
  );

  // The scheduler counts those that it knows in time (`…_acknowledgement_to_settled_seconds`): what it does not know yet is only here.
  private readonly acknowledgedTotal = counter(
    'paycode_webhook_dispatcher_acknowledgements_total',
    'Payments that their merchant acknowledged.',
  );

  private readonly lines = new PacedLines();

  private readonly merchants = new RecentMerchants(() => performance.now());

  constructor(
    private readonly logger: Logger,
    private readonly log: DeliveryLogOptions,
  ) {
    super();
    this.parkedTotal.inc(0);
    this.ingestedTotal.inc({ outcome: 'conflicting' }, 0);
    for (const reason of new Set([...Object.values(heldBackReasons), 'DATABASE', 'OTHER'])) this.heldBackTotal.inc({ reason }, 0);
    for (const kind of ['acknowledged', 'non_200', 'timeout', 'connection', 'our_fault'])
      this.attemptsTotal.inc({ outcome: kind }, 0);
  }

  override ingested({ stored, duplicate }: { stored: number; duplicate: number }): void {
    this.ingestedTotal.inc({ outcome: 'stored' }, stored);
    this.ingestedTotal.inc({ outcome: 'duplicate' }, duplicate);
  }

  override conflictingContent(transactionId: number): void {
    this.ingestedTotal.inc({ outcome: 'conflicting' });
    this.logger.error(
      { event: 'conflicting-content', transactionId },
      'a second event of a transaction has different content and was ignored',
    );
  }

  override parked(reason: string): void {
    this.parkedTotal.inc();
    this.logger.error({ event: 'parked', reason }, 'an event can never be stored and was parked');
  }

  override attempted(outcome: AttemptOutcome): void {
    this.attemptsTotal.inc({ outcome: outcomeClass(outcome) });
  }

  override concluded(report: DeliveryReport): void {
    const { delivery, verdict, ageMs } = report;
    this.verdictsTotal.inc({ kind: verdict });
    const kind = classOf(verdict);
    this.age.observe({ kind }, ageMs / 1_000);
    if (kind !== 'not_applicable') this.merchants.concluded(delivery.merchantId, kind === 'acknowledged');
    if (isLogged(report, this.log.deliveriesPerLogLine)) this.write(report);
  }

  private write({ delivery, verdict, outcome, ageMs }: DeliveryReport): void {
    const { transactionId, merchantId, attempt } = delivery;
    this.logger.info(
      { event: 'delivered', transactionId, merchantId, attempt, verdict, outcome, durationMs: Math.round(ageMs) },
      'delivery concluded',
    );
  }

  override acknowledged(): void {
    this.acknowledgedTotal.inc();
  }

  override verdictsWaiting(count: number): void {
    this.unwritten.set(count);
  }

  override verdictWriteFailed(error: unknown): void {
    this.writeFailuresTotal.inc();
    const count = this.lines.due('verdict-write');
    if (count === 0) return;
    this.logger.warn(
      { event: 'verdict-write', count, err: error },
      'verdicts cannot be written; they stay in memory and are tried again',
    );
  }

  override heldBack(error: unknown): void {
    const reason = heldBackReasonOf(error);
    this.heldBackTotal.inc({ reason });
    const count = this.lines.due(reason);
    if (count === 0) return;
    this.logger.warn({ event: 'held-back', reason, count, err: error }, 'deliveries wait because of a fault of the platform');
  }

  override workParked(step: ParkedStep, transactionId: number, error: unknown): void {
    countParked(step);
    const reason = dataFaultReason(error);
    this.logger.error(
      { event: 'work-parked', source: step, transactionId, reason },
      'the data of a payment makes this step fail; it was parked',
    );
  }

  /** Gauges read when scraped. */
  observe(load: () => QueueLoad & { endpointsPaused: number }): void {
    scrapedGauge({ name: 'paycode_webhook_dispatcher_deliveries_in_memory', help: 'Deliveries in memory.' }, gauge =>
      gauge.set(load().held),
    );
    scrapedGauge(
      { name: 'paycode_webhook_dispatcher_deliveries_waiting', help: 'Deliveries waiting for a slot at their endpoint.' },
      gauge => gauge.set(load().waiting),
    );
    scrapedGauge({ name: 'paycode_webhook_dispatcher_deliveries_in_flight', help: 'Slots in use.' }, gauge =>
      gauge.set(load().inFlight),
    );
    scrapedGauge(
      {
        name: 'paycode_webhook_dispatcher_oldest_undelivered_age_seconds',
        help: 'Age of the oldest delivery without a verdict in memory.',
      },
      gauge => gauge.set(load().oldestAgeMs / 1_000),
    );
    scrapedGauge(
      {
        name: 'paycode_webhook_dispatcher_oldest_unattempted_age_seconds',
        help: 'Age of the oldest delivery in memory that waits for us, and not for its receiver, with its first attempt.',
      },
      gauge => gauge.set(load().oldestUnattemptedAgeMs / 1_000),
    );
    scrapedGauge(
      {
        name: 'paycode_webhook_dispatcher_endpoints_paused',
        help: 'Endpoints whose deliveries wait because somebody paused them.',
      },
      gauge => gauge.set(load().endpointsPaused),
    );
    this.observeMerchants();
  }

  /** How many merchants answer at all, and how many of them do not acknowledge: many at once have a cause in common. */
  private observeMerchants(): void {
    scrapedGauge(
      { name: 'paycode_webhook_dispatcher_merchants_served', help: 'Merchants with a verdict in the last ten minutes.' },
      gauge => gauge.set(this.merchants.counted.served),
    );
    scrapedGauge(
      { name: 'paycode_webhook_dispatcher_merchants_failing', help: 'Of these, whose latest payment was not acknowledged.' },
      gauge => gauge.set(this.merchants.counted.failing),
    );
  }
}

function classOf(verdict: VerdictKind): string {
  if (verdict.startsWith('ACKED')) return 'acknowledged';
  return verdict === 'NOT_APPLICABLE' ? 'not_applicable' : 'closed';
}

const hashes = 4_294_967_296;

/**
 * Whether a delivery has a log line: each that did not end well at its first attempt, and of the others one in `perLine`. The transaction
 * id chooses it, so every replica and every run chooses the same. `paycode deliveries show` reads the outcome of any delivery from its row.
 */
export function isLogged(report: DeliveryReport, perLine: number): boolean {
  return !isOrdinary(report) || hashOf(report.delivery.transactionId) < hashes / perLine;
}

/** Sent once and answered 200, or there is no webhook to send it to. */
function isOrdinary({ delivery, verdict, outcome }: DeliveryReport): boolean {
  if (delivery.attempt > 1) return false;
  if (outcome === 'HTTP 200') return verdict === 'ACKED_HTTP' || verdict === 'NOT_APPLICABLE';
  return outcome === 'NO WEBHOOK';
}

/** Spreads ids that follow each other (Knuth's multiplicative hash), or each hundredth would be of the same caller. */
function hashOf(transactionId: number): number {
  return Math.imul(transactionId, 2_654_435_761) >>> 0;
}

const windowMs = 600_000;
const merchantsMax = 50_000;

/** The latest verdict of each merchant, for ten minutes. The merchant heard of longest ago goes first when there are too many. */
export class RecentMerchants {
  /** Longest ago first. */
  private readonly latest = new BoundedMap<number, { atMs: number; isAcknowledged: boolean }>(merchantsMax);

  constructor(private readonly nowMs: () => number) {}

  concluded(merchantId: number, isAcknowledged: boolean): void {
    this.latest.set(merchantId, { atMs: this.nowMs(), isAcknowledged });
  }

  get counted(): { served: number; failing: number } {
    const sinceMs = this.nowMs() - windowMs;
    let failing = 0;
    for (const [merchantId, { atMs, isAcknowledged }] of this.latest) {
      if (atMs < sinceMs) this.latest.delete(merchantId);
      else if (!isAcknowledged) failing++;
    }
    return { served: this.latest.size, failing };
  }
}
