import { register } from 'prom-client';
import { type PaymentTracing, type SpanFacts, traceAll } from './payment-tracing';
import { startTracing } from './start-tracing';
import { TraceCollector } from './testing/trace-collector';

const sampled = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const unsampled = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

describe('tracing to an OTLP/HTTP collector', () => {
  let collector: TraceCollector;
  let tracing: PaymentTracing;
  const warnings: string[] = [];

  const start = async (sampledShare = '1') => {
    tracing = await startTracing({
      service: 'a-service',
      environment: 'sandbox',
      endpoint: collector.url,
      sampledShare,
      onExportFailed: code => warnings.push(code),
    });
  };

  beforeEach(async () => {
    warnings.length = 0;
    collector = await new TraceCollector().listen();
    await start();
  });
  afterEach(async () => {
    await tracing.stop();
    await collector.stop();
  });

  const exported = async () => {
    await tracing.stop();
    return collector.spans;
  };

  it('puts spans of one payment below each other, whatever batch they come from', async () => {
    const root = tracing.begin(1, { name: 'purchase completed' })!;
    tracing.begin(2, { name: 'purchase completed' });
    const items = [{ transactionId: 1 }, { transactionId: 2 }];
    await traceAll(tracing, { items, name: 'arm', kind: 'client' }, async carried => {
      tracing
        .start(1, { name: 'armed', kind: 'server', parent: (carried[0] as { traceparent?: string }).traceparent })!
        .end({ outcome: 'SETTLED' });
    });
    const [first, , , , ...rest] = await exported();
    expect(rest).toHaveLength(1);
    const [arm, armed] = ['arm', 'armed'].map(name => collector.traceOf(1).find(span => span.name === name)!);
    expect(root).toBe(`00-${first!.traceId}-${first!.spanId}-01`);
    expect([arm!.parentSpanId, armed!.parentSpanId]).toEqual([first!.spanId, arm!.spanId]);
    expect(collector.traceOf(1)).toHaveLength(3);
    expect(collector.traceOf(2)).toHaveLength(2);
    expect(armed).toMatchObject({
      service: 'a-service',
      attributes: { 'paycode.transaction_id': '1', 'paycode.outcome': 'SETTLED' },
    });
  });

  it('continues the trace of the purchase that a reversal undoes', async () => {
    const root = tracing.begin(1, { name: 'purchase completed' })!;
    expect(tracing.begin(2, { name: 'reversal completed', follows: 1 })!.split('-')[1]).toBe(root.split('-')[1]);
  });

  it('keeps the sampling decision of the service that began the trace', async () => {
    tracing.adopt(1, unsampled);
    expect([tracing.traceparentOf(1), tracing.start(1, { name: 'arm', kind: 'client' })]).toEqual([undefined, undefined]);
    expect(tracing.start(1, { name: 'arm', kind: 'client', parent: unsampled })).toBeUndefined();
    tracing.adopt(1, sampled);
    expect(tracing.traceparentOf(1)).toBe(sampled);
  });

  it('records no more than the configured share, and marks it in the traceparent', async () => {
    await tracing.stop();
    await start('0');
    expect(tracing.begin(1, { name: 'purchase completed' })).toMatch(/-00$/);
    expect(tracing.start(1, { name: 'arm', kind: 'client' })).toBeUndefined();
    expect(await exported()).toEqual([]);
  });

  it.each(['2', '-1', 'half'])('refuses %s as a share', async share => {
    await expect(start(share)).rejects.toThrow('OTEL_TRACES_SAMPLER_ARG');
  });

  it.each([
    ...[undefined, 42, 'no traceparent', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ...['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', `${sampled}-more`],
  ])('ignores %p as traceparent', traceparent => {
    tracing.adopt(1, traceparent);
    expect(tracing.traceparentOf(1)).toBeUndefined();
  });

  it('exports only the attributes of the list, and no value that is not a code (T-17)', async () => {
    tracing.adopt(1, sampled);
    const facts = {
      attempt: 1,
      httpStatus: 200,
      outcome: 'Thandi Mokoena paid R110.10',
      errorCode: 'https://shop.example/hook?token=abc',
      url: 'https://shop.example',
      clientMsisdn: '27820000001',
    } as SpanFacts;
    tracing.start(1, { name: 'POST webhook', kind: 'client', facts })!.end(facts);
    const [span] = await exported();
    expect(span).toMatchObject({ isFailed: true });
    expect(span!.attributes).toEqual({
      'paycode.transaction_id': '1',
      'paycode.attempt': 1,
      'http.response.status_code': 200,
      'paycode.outcome': 'unprintable',
      'error.type': 'unprintable',
    });
    expect(collector.bodies.join()).not.toMatch(/Thandi|shop\.example|27820000001/);
  });

  it('marks a failed span with the code of the error, never its text', async () => {
    tracing.adopt(1, sampled);
    const fails = async () => Promise.reject(Object.assign(new Error('password is hunter2'), { code: 'ECONNREFUSED' }));
    await expect(traceAll(tracing, { items: [{ transactionId: 1 }], name: 'arm', kind: 'client' }, fails)).rejects.toThrow();
    const [span] = await exported();
    expect(span).toMatchObject({ isFailed: true, attributes: { 'error.type': 'ECONNREFUSED' } });
    expect(collector.bodies.join()).not.toContain('hunter2');
  });

  it('counts and reports spans that a collector refuses, and still stops', async () => {
    collector.status = 400;
    tracing.begin(1, { name: 'purchase completed' });
    await tracing.stop();
    expect(warnings).toHaveLength(1);
    expect(await register.metrics()).toContain('paycode_tracing_spans_total{outcome="failed"} 1');
  });
});
