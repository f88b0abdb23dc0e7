import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { counter } from '../metrics/collectors';
import { BoundedMap, PacedLines, withinTime } from '../timing';
import {
  errorCodeOf,
  type PaymentSpan,
  PaymentTracing,
  type SpanFacts,
  type SpanStart,
  type TracingOptions,
} from './payment-tracing';

type OtlpOptions = Pick<TracingOptions, 'service' | 'environment' | 'onExportFailed'> & { endpoint: string; share: number };

/** Spans that may wait for the collector; more are dropped, because payments are more important than traces. */
const waitingMax = 8_192;
const exportTimeoutMs = 5_000;
const stopTimeoutMs = 3_000;

/** Exports spans in batches, with a delay of a second, as JSON over HTTP. It registers nothing globally and instruments nothing. */
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
  // Bounded, because an unreachable collector must not stop a service from ending. CountedExporter counts and reports an export that fails.
  const stop = () => withinTime(provider.shutdown(), stopTimeoutMs, 'trace collector').catch(() => undefined);
  return new OtlpPaymentTracing(provider.getTracer('paycode'), stop);
}

/** Payments in memory at once, about 250 bytes each; beyond that the oldest lose their later spans. */
const rememberedMax = 50_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
} as const;

/** Tracing on OpenTelemetry's SDK. Only sampled payments are remembered. */
class OtlpPaymentTracing extends PaymentTracing {
  override readonly isOn = true;
  private stopped?: Promise<void>;
  private readonly remembered = new BoundedMap<number, SpanContext>(rememberedMax);

  constructor(
    private readonly tracer: Tracer,
    private readonly shutDown: () => Promise<void>,
  ) {
    super();
  }

  override begin(transactionId: number, { name, follows }: { name: string; follows?: number }): string {
    const parent = follows === undefined ? undefined : this.remembered.get(follows);
    const span = this.open(transactionId, { name, kind: 'internal' }, parent);
    span.end();
    this.remember(transactionId, span.spanContext());
    return formatTraceparent(span.spanContext());
  }

  override adopt(transactionId: number, traceparent: unknown): void {
    const context = parseTraceparent(traceparent);
    if (context) this.remember(transactionId, context);
  }

  override start(transactionId: number, start: SpanStart): PaymentSpan | undefined {
    const parent = parseTraceparent(start.parent) ?? this.remembered.get(transactionId);
    if (!parent || !isSampled(parent)) return undefined;
    const span = this.open(transactionId, start, parent);
    return {
      traceparent: formatTraceparent(span.spanContext()),
      end: facts => {
        if (!span.isRecording()) return;
        span.setAttributes(attributesOf(facts));
        if (facts?.errorCode !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  override traceparentOf(transactionId: number): string | undefined {
    const context = this.remembered.get(transactionId);
    return context && formatTraceparent(context);
  }

  override stop(): Promise<void> {
    return (this.stopped ??= this.shutDown());
  }

  private open(transactionId: number, { name, kind, facts }: SpanStart & { facts?: SpanFacts }, parent: SpanContext | undefined) {
    const attributes = { 'paycode.transaction_id': String(transactionId), ...attributesOf(facts) };
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    return this.tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
  }

  private remember(transactionId: number, context: SpanContext): void {
    if (isSampled(context)) this.remembered.set(transactionId, context);
    else this.remembered.delete(transactionId);
  }
}

function isSampled(context: SpanContext): boolean {
  return (context.traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** W3C Trace Context, version 00. */
const wellFormed = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

function parseTraceparent(text: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' && wellFormed.exec(text)) || [];
  if (!traceId || !spanId || !flags) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`;
}

/** Matches codes and topic names, and no sentence, address, token or payload. */
const code = /^[A-Za-z][A-Za-z0-9_.-]{0,79}$/;

const attributeNames: Record<keyof SpanFacts, string> = {
  attempt: 'paycode.attempt',
  outcome: 'paycode.outcome',
  httpStatus: 'http.response.status_code',
  topic: 'messaging.destination.name',
  group: 'messaging.consumer.group.name',
  errorCode: 'error.type',
};

/** Attributes of a span: the names above and no other; text only when it is a code, else `unprintable`. */
function attributesOf(facts: SpanFacts | undefined): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const name of Object.keys(attributeNames) as (keyof SpanFacts)[]) {
    const value: unknown = facts?.[name];
    if (typeof value === 'number' && Number.isFinite(value)) attributes[attributeNames[name]] = value;
    else if (typeof value === 'string') attributes[attributeNames[name]] = code.test(value) ? value : 'unprintable';
  }
  return attributes;
}

type ExportDone = Parameters<SpanExporter['export']>[1];

/** ExportResultCode.SUCCESS of @opentelemetry/core. */
const succeeded = 0;

/** Counts exported and lost spans, so that a missing trace is not mistaken for a missing payment. */
class CountedExporter implements SpanExporter {
  private readonly spans = counter('paycode_tracing_spans_total', 'Spans by the outcome of their export.', ['outcome']);
  private readonly lines = new PacedLines();

  constructor(
    private readonly exporter: SpanExporter,
    private readonly onFailed: (code: string) => void,
  ) {}

  export(spans: ReadableSpan[], done: ExportDone): void {
    this.exporter.export(spans, result => {
      const isExported = Number(result.code) === succeeded;
      this.spans.inc({ outcome: isExported ? 'exported' : 'failed' }, spans.length);
      if (!isExported && this.lines.due('export') > 0) this.onFailed(errorCodeOf(result.error));
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }
}
