import type { Logger } from '@paycode/service-runtime';
import { register } from 'prom-client';
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
    new PrometheusDeliveryMetrics({} as Logger);
    const { values } = await register.getSingleMetric(name)!.get();
    expect(values).toEqual(series.map(labels => ({ value: 0, labels })));
  });
});
