import type { Logger } from '@paycode/service-runtime';
import { register } from 'prom-client';
import { delivery } from '../deliveries/testing/samples';
import { PrometheusDeliveryMetrics } from './prometheus-delivery.metrics';

describe('metrics of the dispatcher before the first event', () => {
  // Prometheus sees no increase in a series that begins with its first event.
  it.each([
    ['paycode_webhook_dispatcher_events_parked_total', [{}]],
    ['paycode_webhook_dispatcher_events_ingested_total', [{ outcome: 'conflicting' }]],
    ['paycode_webhook_dispatcher_acknowledgements_total', [{}]],
    ['paycode_webhook_dispatcher_deliveries_held_back_total', [{ reason: 'ROUTE_UNAVAILABLE' }, { reason: 'OTHER' }]],
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
