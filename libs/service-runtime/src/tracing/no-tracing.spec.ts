import { noTracing, traceAll } from './payment-tracing';
import { startTracing } from './start-tracing';

jest.mock('./otlp-payment-tracing', () => {
  throw new Error('the SDK was loaded');
});

const options = { service: 's', environment: 'sandbox', sampledShare: '1', onExportFailed: () => undefined };

describe('no tracing', () => {
  it('is used without a collector, and loads no SDK', async () => {
    expect(await startTracing({ ...options, endpoint: null })).toBe(noTracing);
    await expect(startTracing({ ...options, endpoint: 'http://127.0.0.1:1' })).rejects.toThrow('the SDK was loaded');
  });

  it('gives events and calls nothing to carry', async () => {
    const items = [{ transactionId: 1 }];
    expect(noTracing.begin(1, { name: 'purchase completed' })).toBeUndefined();
    await traceAll(noTracing, { items, name: 'arm', kind: 'client' }, async carried => expect(carried).toEqual(items));
  });
});
