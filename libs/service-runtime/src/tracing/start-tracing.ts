import { noTracing, type PaymentTracing } from './payment-tracing';

export interface TracingOptions {
  /** `service.name` of every span. */
  service: string;
  environment: string;
  /** OTLP/HTTP base URL; spans go to `{endpoint}/v1/traces`. null: no tracing. */
  endpoint: string | null;
  /** Share of traces beginning here that are recorded, 0 to 1 as text; for other traces the service that began them decides. */
  sampledShare: string;
  /** Called, at most once a minute, with the error code when spans could not be exported. */
  onExportFailed(code: string): void;
}

/**
 * Starts tracing as configured. It loads the SDK only when there is a collector. Throws when `sampledShare` is not a number from
 * 0 to 1.
 */
export async function startTracing(options: TracingOptions): Promise<PaymentTracing> {
  if (options.endpoint === null) return noTracing;
  const share = Number(options.sampledShare);
  if (!(share >= 0 && share <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const { startOtlpTracing } = await import('./otlp-payment-tracing');
  return startOtlpTracing({ ...options, endpoint: options.endpoint, share });
}
