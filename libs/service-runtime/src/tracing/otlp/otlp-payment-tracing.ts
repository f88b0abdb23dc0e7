import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { type PaymentSpan, PaymentTracing, type SpanFacts, type SpanStart } from '../payment-tracing';

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

/** W3C Trace Context, version 00. */
const wellFormed = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export function parseTraceparent(text: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' && wellFormed.exec(text)) || [];
  if (!traceId || !spanId || !flags) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
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
export function attributesOf(facts: SpanFacts | undefined): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const name of Object.keys(attributeNames) as (keyof SpanFacts)[]) {
    const value: unknown = facts?.[name];
    if (typeof value === 'number' && Number.isFinite(value)) attributes[attributeNames[name]] = value;
    else if (typeof value === 'string') attributes[attributeNames[name]] = code.test(value) ? value : 'unprintable';
  }
  return attributes;
}
