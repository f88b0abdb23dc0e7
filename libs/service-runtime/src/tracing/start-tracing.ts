import { noTracing, type PaymentTracing, type TracingOptions } from './payment-tracing';

/** Starts tracing as configured. It loads the SDK only when there is a collector. Throws when `sampledShare` is not a number from 0 to 1. */
export async function startTracing(options: TracingOptions): Promise<PaymentTracing> {
  if (options.endpoint === null) return noTracing;
  const share = Number(options.sampledShare);
  if (!(share >= 0 && share <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const { startOtlpTracing } = await import('./otlp-payment-tracing');
  return startOtlpTracing({ ...options, endpoint: options.endpoint, share });
}
