import { errorCodeOf } from './error-code';
import type { PaymentSpan, PaymentTracing, SpanFacts, SpanStart } from './payment-tracing';

interface Traced {
  transactionId: number;
  traceparent?: string | undefined;
}

/** Spans of a call or statement for many transactions: one span for each. */
export class BatchSpans<T extends Traced> {
  private readonly spans = new Map<number, PaymentSpan>();

  constructor(
    tracing: PaymentTracing,
    private readonly items: readonly T[],
    start: SpanStart,
  ) {
    for (const { transactionId, traceparent } of items) {
      const span = tracing.start(transactionId, { ...start, parent: traceparent ?? start.parent });
      if (span) this.spans.set(transactionId, span);
    }
  }

  /** The items, each with the traceparent of its span. */
  carried(): T[] {
    return this.items.map(item => {
      const span = this.spans.get(item.transactionId);
      return span ? { ...item, traceparent: span.traceparent } : item;
    });
  }

  end(transactionId: number, facts?: SpanFacts): void {
    this.spans.get(transactionId)?.end(facts);
  }

  endAll(facts?: SpanFacts): void {
    for (const span of this.spans.values()) span.end(facts);
  }
}

/** Runs `work` inside a span of every item; the spans end with it, failed when it fails. */
export async function traceAll<T extends Traced, R>(
  tracing: PaymentTracing,
  { items, ...start }: SpanStart & { items: readonly T[] },
  work: (carried: T[], spans: BatchSpans<T>) => Promise<R>,
): Promise<R> {
  const spans = new BatchSpans(tracing, items, start);
  try {
    return await work(spans.carried(), spans);
  } catch (error) {
    spans.endAll({ errorCode: errorCodeOf(error) });
    throw error;
  } finally {
    spans.endAll();
  }
}
