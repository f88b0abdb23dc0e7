import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { PlatformConnection } from '@paycode/platform-client';
import { type CollectedSpan, TraceCollector } from '@paycode/service-runtime/tracing/testing';
import { makeMerchantWithReceiver, type MerchantWithReceiver, payNewCode } from './testing/platform';
import { PlatformProcess, temporaryFolder } from './testing/platform-process';

/** With a collector configured, a payment is one trace from its event to its decision, and nobody outside is told of it. */
describe('a payment on a platform with a trace collector', () => {
  const folder = temporaryFolder();
  let collector: TraceCollector;
  let platform: PlatformProcess;
  let shop: MerchantWithReceiver;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    const env = { DATABASE_URL: undefined, EVENTS_TRANSPORT: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    platform = await new PlatformProcess({ home: join(folder, 'home'), env }).untilReady();
    shop = await makeMerchantWithReceiver(new PlatformConnection(join(folder, 'home')));
  });
  afterAll(async () => {
    await shop?.receiver.stop();
    await platform?.stop();
    await collector.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const namesOf = (trace: readonly CollectedSpan[]) => trace.map(({ service, name }) => `${service}: ${name}`);

  /** Every span but the first hangs below another span of the same trace. */
  function expectOneTree(trace: readonly CollectedSpan[]): void {
    const ids = new Set(trace.map(span => span.spanId));
    expect(new Set(trace.map(span => span.traceId)).size).toBe(1);
    expect(trace.filter(span => span.parentSpanId === '').map(span => span.name)).toEqual(['purchase completed']);
    for (const span of trace) if (span.parentSpanId !== '') expect(ids).toContain(span.parentSpanId);
  }

  it('is one trace across simulator, dispatcher and scheduler when it is acknowledged', async () => {
    const transactionId = await payNewCode(shop.merchant);
    await eventually(() => {
      const trace = collector.traceOf(transactionId);
      expect(namesOf(trace)).toEqual(
        expect.arrayContaining([
          'payment-simulator: purchase completed',
          'payment-simulator: publish paycode.transaction.terminal.v1',
          'webhook-dispatcher: consume paycode.transaction.terminal.v1',
          'webhook-dispatcher: arm',
          'reversal-scheduler: arm',
          'webhook-dispatcher: POST webhook',
          'webhook-dispatcher: record verdict',
          'webhook-dispatcher: publish paycode.transaction.ack-received.v1',
          'reversal-scheduler: consume paycode.transaction.ack-received.v1',
          'reversal-scheduler: decide',
        ]),
      );
      expectOneTree(trace);
      const outcomeOf = (name: string) => trace.find(span => span.name === name)!.attributes['paycode.outcome'];
      expect([outcomeOf('record verdict'), outcomeOf('decide')]).toEqual(['ACKED_HTTP', 'SETTLED']);
    });
  });

  it('continues with the reversal and its notice when it is not', async () => {
    shop.receiver.answer = ({ status }) => (status === 'SUCCESS' ? 503 : 200);
    const transactionId = await payNewCode(shop.merchant);
    await eventually(() => {
      const trace = collector.traceOf(transactionId);
      expect(namesOf(trace)).toEqual(
        expect.arrayContaining([
          'webhook-dispatcher: settle',
          'reversal-scheduler: publish paycode.transaction.reversal-requested.v1',
          'payment-simulator: consume paycode.transaction.reversal-requested.v1',
          'payment-simulator: reversal completed',
        ]),
      );
      expect(trace.filter(span => span.name === 'POST webhook')).toHaveLength(2);
      expectOneTree(trace);
    });
  });

  it('tells the receiver nothing of the trace', () => {
    expect(shop.receiver.received.length).toBeGreaterThanOrEqual(3);
    for (const { headers } of shop.receiver.received) {
      expect(Object.keys(headers).filter(name => /trace|baggage|^b3$|^x-b3/i.test(name))).toEqual([]);
      const [{ traceId }] = collector.traceOf(Number(headers['x-webhook-transaction-id'])) as [CollectedSpan];
      expect(JSON.stringify(headers)).not.toContain(traceId);
    }
  });

  it('exports no personal data, no key and no address of a receiver (T-17)', () => {
    const exported = collector.bodies.join();
    expect(exported).toContain('webhook-dispatcher');
    for (const secret of [shop.receiver.encryptKey, shop.receiver.url, 'merchantName', 'Journey', 'eyJ', 'Bearer'])
      expect(exported).not.toContain(secret);
  });
});
