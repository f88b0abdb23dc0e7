import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { type PaymentSpan, PaymentTracing, type SpanFacts, type SpanStart } from '../payment-tracing';
import { attributesOf } from './span-attributes';
import { formatTraceparent, parseTraceparent } from './traceparent';

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
export class OtlpPaymentTracing extends PaymentTracing {
  override readonly isOn = true;
  private stopped?: Promise<void>;
  private readonly remembered = new Map<number, SpanContext>();

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
    this.remembered.delete(transactionId);
    if (!isSampled(context)) return;
    this.remembered.set(transactionId, context);
    if (this.remembered.size <= rememberedMax) return;
    const [oldest] = this.remembered.keys();
    this.remembered.delete(oldest!);
  }
}

function isSampled(context: SpanContext): boolean {
  return (context.traceFlags & TraceFlags.SAMPLED) !== 0;
}
