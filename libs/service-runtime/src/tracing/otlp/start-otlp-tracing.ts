import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { PaymentTracing } from '../payment-tracing';
import { CountedExporter } from './counted-exporter';
import { OtlpPaymentTracing } from './otlp-payment-tracing';

export interface OtlpOptions {
  service: string;
  environment: string;
  endpoint: string;
  share: number;
  onExportFailed(code: string): void;
}

/** Spans that may wait for the collector; more are dropped, because payments are more important than traces. */
const waitingMax = 8_192;
const exportTimeoutMs = 5_000;
const stopTimeoutMs = 3_000;

/**
 * Exports spans in batches, with a delay of a second, as JSON over HTTP. It registers nothing globally and instruments
 * nothing.
 */
export function startOtlpTracing({ service, environment, endpoint, share, onExportFailed }: OtlpOptions): PaymentTracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs, concurrencyLimit: 4 });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'deployment.environment.name': environment }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeCountLimit: 16, attributeValueLengthLimit: 100, eventCountLimit: 4, linkCountLimit: 4 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new CountedExporter(exporter, onExportFailed),
        maxQueueSize: waitingMax,
        maxExportBatchSize: 512,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  return new OtlpPaymentTracing(provider.getTracer('paycode'), () => withinTime(provider.shutdown()));
}

/** Bounds the wait, because an unreachable collector must not stop a service from ending. */
async function withinTime(work: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, stopTimeoutMs);
  try {
    // An export that fails is counted and reported by CountedExporter; it must not fail the stop.
    await Promise.race([work.catch(() => undefined), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
