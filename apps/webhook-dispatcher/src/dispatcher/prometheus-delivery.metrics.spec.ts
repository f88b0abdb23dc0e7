import type { VerdictKind } from '@paycode/dto';
import type { Logger } from '@paycode/service-runtime';
import { register } from 'prom-client';
import { ArmUnavailableError } from '../arming/reversal-scheduler.client';
import { delivery } from '../deliveries/testing/samples';
import { RouteUnavailableError } from '../routes/route-cache';
import { isLogged, PrometheusDeliveryMetrics, RecentMerchants } from './prometheus-delivery.metrics';

describe('metrics of the dispatcher before the first event', () => {
  // Prometheus sees no increase in a series that begins with its first event.
  it.each([
    ['paycode_webhook_dispatcher_events_parked_total', [{}]],
    ['paycode_webhook_dispatcher_events_ingested_total', [{ outcome: 'conflicting' }]],
    ['paycode_webhook_dispatcher_acknowledgements_total', [{}]],
    [
      'paycode_webhook_dispatcher_deliveries_held_back_total',
      [
        ...[
          'DATABASE_READ_ONLY',
          'ARM_UNAVAILABLE',
          'ROUTES_UNAVAILABLE',
          'HANDSHAKES',
          'OWNERSHIP',
          'EGRESS_PROXY',
          'NAME_SERVER',
        ],
        ...['RECEIVER_ZONE', 'NO_DESCRIPTOR', 'NO_PORT', 'NETWORK', 'DATABASE', 'OTHER'],
      ].map(reason => ({ reason })),
    ],
    [
      'paycode_webhook_dispatcher_attempts_total',
      ['acknowledged', 'non_200', 'timeout', 'connection', 'our_fault'].map(outcome => ({ outcome })),
    ],
  ])('%s stands at 0', async (name, series) => {
    new PrometheusDeliveryMetrics({} as Logger, { deliveriesPerLogLine: 100 });
    const { values } = await register.getSingleMetric(name)!.get();
    expect(values).toEqual(series.map(labels => ({ value: 0, labels })));
  });
});

describe('deliveries that a fault of the platform holds back', () => {
  it.each<[string, Error]>([
    ['ARM_UNAVAILABLE', new ArmUnavailableError('away')],
    ['ROUTES_UNAVAILABLE', new RouteUnavailableError('away')],
    ['RECEIVER_ZONE', Object.assign(new Error('x'), { code: 'ZONE_FAILED' })],
    ['NAME_SERVER', Object.assign(new Error('x'), { code: 'EAI_AGAIN' })],
    ['NO_DESCRIPTOR', Object.assign(new Error('x'), { code: 'EMFILE' })],
    ['DATABASE', Object.assign(new Error('x'), { driverError: {} })],
    ['DATABASE', Object.assign(new Error('x'), { code: '57P01' })],
    ['DATABASE_READ_ONLY', Object.assign(new Error('x'), { driverError: {}, code: '25006' })],
    ['OTHER', Object.assign(new Error('x'), { code: 'SOMETHING_ELSE' })],
  ])('are counted by the cause, and a warning names it once a minute: %s (P-T8)', async (reason, fault) => {
    jest.useFakeTimers();
    register.clear();
    const warn = jest.fn();
    const metrics = new PrometheusDeliveryMetrics({ warn } as unknown as Logger, { deliveriesPerLogLine: 100 });
    const nameOf = (): unknown[] =>
      warn.mock.calls.map(([line]: [{ reason: string; count: number }]) => [line.reason, line.count]);
    for (let n = 0; n < 5; n++) metrics.heldBack(fault);
    expect(nameOf()).toEqual([[reason, 1]]);
    jest.advanceTimersByTime(60_000);
    metrics.heldBack(fault);
    jest.useRealTimers();
    expect(nameOf()).toEqual([
      [reason, 1],
      [reason, 5],
    ]);
    const { values } = await register.getSingleMetric('paycode_webhook_dispatcher_deliveries_held_back_total')!.get();
    expect(values.filter(({ value }) => value > 0)).toEqual([{ value: 6, labels: { reason } }]);
  });
});

it('every delivery is counted, whether it has a log line or not', async () => {
  const info = jest.fn();
  const metrics = new PrometheusDeliveryMetrics({ info } as unknown as Logger, { deliveriesPerLogLine: 100 });
  for (let id = 1; id <= 500; id++)
    metrics.concluded({ delivery: delivery(id), verdict: 'ACKED_HTTP', outcome: 'HTTP 200', ageMs: 5 });
  const { values } = await register.getSingleMetric('paycode_webhook_dispatcher_verdicts_total')!.get();
  expect(values).toEqual([{ value: 500, labels: { kind: 'ACKED_HTTP' } }]);
  expect(info.mock.calls.length).toBeGreaterThan(0);
  expect(info.mock.calls.length).toBeLessThan(20);
});

type End = [verdict: VerdictKind, outcome: string | null, attempt?: number];

function reportOf(transactionId: number, [verdict, outcome, attempt = 1]: End) {
  return { delivery: delivery(transactionId, { attempt }), verdict, outcome, ageMs: 5 };
}
const ids = Array.from({ length: 10_000 }, (_, at) => 7_000_000_000_000 + at);
const linesOf = (perLine: number, ...rest: End) => ids.filter(id => isLogged(reportOf(id, rest), perLine));

describe('the log lines of deliveries', () => {
  it.each<[string, VerdictKind, string | null, number?]>([
    ['another status', 'CLOSED_NON200', 'HTTP 500'],
    ['no answer', 'CLOSED_TIMEOUT', 'TIMEOUT'],
    ['a broken connection', 'CLOSED_CONN', 'CONNECTION: ECONNRESET'],
    ['never sent', 'CLOSED_BACKSTOP', null],
    ['a second attempt, although it was acknowledged', 'ACKED_HTTP', 'HTTP 200', 2],
    ['a failure that an earlier acknowledgement outlives', 'ACKED_HTTP', 'HTTP 500'],
    ['a 200 too late', 'CLOSED_TIMEOUT', 'HTTP 200'],
    ['a 200 after getNotification', 'ACKED_PULL', 'HTTP 200'],
    ['a notice that was refused', 'NOT_APPLICABLE', 'HTTP 503'],
    ['a notice that could not be sent', 'NOT_APPLICABLE', 'NOT SENT'],
    ['a verdict after the decision', 'NOT_APPLICABLE', 'DECIDED BEFORE'],
  ])('each has one that did not end well at its first attempt: %s', (_, ...rest) => {
    expect(linesOf(1_000_000, ...rest)).toHaveLength(ids.length);
  });

  it.each<[string, VerdictKind, string | null]>([
    ['acknowledged', 'ACKED_HTTP', 'HTTP 200'],
    ['a notice that arrived', 'NOT_APPLICABLE', 'HTTP 200'],
    ['no webhook', 'NOT_APPLICABLE', 'NO WEBHOOK'],
  ])('of a hundred that ended well one has, the same in every process, at no fixed distance: %s', (_, ...rest) => {
    const logged = linesOf(100, ...rest);
    expect(logged.length).toBeGreaterThan(80);
    expect(logged.length).toBeLessThan(120);
    expect(linesOf(100, ...rest)).toEqual(logged);
    expect(new Set(logged.map(id => id % 100)).size).toBeGreaterThan(40);
    expect(linesOf(1, ...rest)).toHaveLength(ids.length);
  });
});

describe('merchants that fail at the same time', () => {
  let nowMs = 0;
  let merchants: RecentMerchants;
  beforeEach(() => {
    nowMs = 0;
    merchants = new RecentMerchants(() => nowMs);
  });

  it('are counted by their latest verdict', () => {
    merchants.concluded(1, false);
    merchants.concluded(2, false);
    merchants.concluded(2, true);
    merchants.concluded(3, true);
    merchants.concluded(3, false);
    merchants.concluded(4, false);
    merchants.concluded(4, true);
    expect(merchants.counted).toEqual({ served: 4, failing: 2 });
  });

  it('are forgotten ten minutes after their latest verdict', () => {
    merchants.concluded(1, false);
    nowMs = 300_000;
    merchants.concluded(2, false);
    nowMs = 600_001;
    expect(merchants.counted).toEqual({ served: 1, failing: 1 });
    nowMs = 900_001;
    expect(merchants.counted).toEqual({ served: 0, failing: 0 });
  });

  it('are bounded: the merchant with the oldest verdict is removed first', () => {
    for (let merchantId = 1; merchantId <= 50_000; merchantId++) merchants.concluded(merchantId, merchantId > 1);
    // Merchant 1 is heard of again, so that merchant 2 has been silent for longest.
    merchants.concluded(1, false);
    merchants.concluded(50_001, false);
    expect(merchants.counted).toEqual({ served: 50_000, failing: 2 });
  });
});
