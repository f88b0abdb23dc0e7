import { register } from 'prom-client';
import { GatewayMetrics } from './gateway-metrics';

describe('requests that the gateway failed', () => {
  it('stand at 0 before the first, and are the answers of 500 and more', async () => {
    const metrics = new GatewayMetrics();
    const failed = async () => (await register.getSingleMetric('paycode_api_gateway_requests_failed_total')!.get()).values;
    expect(await failed()).toEqual([{ value: 0, labels: {} }]);
    for (const status of [200, 404, 429, 500, 503])
      metrics.requestEnded({ route: 'gateway', method: 'GET', status, durationS: 0.1 });
    expect(await failed()).toEqual([{ value: 2, labels: {} }]);
  });
});
