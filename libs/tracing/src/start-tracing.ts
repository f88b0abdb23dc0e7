import { noTracing } from './no-tracing';
import type { PaymentTracing } from './payment-tracing';

export interface TracingOptions {
  /** `service.name` of every span. */
  service: string;
  environment: string;
  /** OTLP/HTTP base URL; spans go to `{endpoint}/v1/traces`. null: no tracing. */
  endpoint: string | null;
  /** Share of the traces begun here that are recorded, 0 to 1 as text; traces begun elsewhere keep the decision made there. */
  sampledShare: string;
  /** Told, at most once a minute, that spans could not be exported; the code of the failure. */
  onExportFailed(code: string): void;
}

/** Tracing as configured. The SDK is loaded only when there is somewhere to export to. Throws when `sampledShare` is no share. */
export async function startTracing(options: TracingOptions): Promise<PaymentTracing> {
  if (options.endpoint === null) return noTracing;
  const share = Number(options.sampledShare);
  if (!(share >= 0 && share <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  const { startOtlpTracing } = await import('./otlp/index');
  return startOtlpTracing({ ...options, endpoint: options.endpoint, share });
}
