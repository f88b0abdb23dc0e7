import type { Logger } from '@paycode/service-runtime';
import { register } from 'prom-client';
import { PrometheusReversalMetrics } from './prometheus-reversal.metrics';

describe('metrics of the scheduler before anything was decided', () => {
  // Prometheus sees no increase in a series that begins with its first event.
  it.each([
    ['paycode_reversal_scheduler_decisions_total', 'decision', ['SETTLED', 'REVERSED']],
    ['paycode_reversal_scheduler_decisions_contradicted_total', 'kind', ['ack_after_reversed', 'closed_after_settled']],
  ])('%s stands at 0 for each %s', async (name, label, kinds) => {
    new PrometheusReversalMetrics({} as Logger);
    const { values } = await register.getSingleMetric(name)!.get();
    expect(values).toEqual(kinds.map(kind => ({ value: 0, labels: { [label]: kind } })));
  });
});

it('an acknowledgement counts as settled within the 5 seconds of the service level, or not; a clock ahead changes nothing', async () => {
  const metrics = new PrometheusReversalMetrics({} as Logger);
  for (const afterMs of [-3, 20, 5_000, 5_001]) metrics.settled(afterMs);
  expect(await register.metrics()).toContain('paycode_reversal_scheduler_acknowledgement_to_settled_seconds_bucket{le="5"} 3\n');
});
