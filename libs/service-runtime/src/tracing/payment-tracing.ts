/**
 * The only attributes of a span: ids, codes, counts. There is no field for a payload, URL, key, or a person's name or number, and values
 * are checked again before export (T-17).
 */
export interface SpanFacts {
  attempt?: number;
  /** A code such as `TIMEOUT`, `ACKED_HTTP`, `SETTLED`. */
  outcome?: string;
  httpStatus?: number;
  topic?: string;
  group?: string;
  /** Code of the error; its presence marks the span as failed. */
  errorCode?: string;
}

export interface SpanStart {
  /** Name of the step: `arm`, `post webhook`. */
  name: string;
  kind: 'internal' | 'producer' | 'consumer' | 'client' | 'server';
  /** W3C traceparent of the parent span. Default: the current parent of the transaction in this process. */
  parent?: string | undefined;
  facts?: SpanFacts;
}

export interface PaymentSpan {
  /** W3C traceparent of this span: `00-{32 hex}-{16 hex}-{2 hex}`. */
  readonly traceparent: string;
  /** The first call counts. */
  end(facts?: SpanFacts): void;
}

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
 * Follows single payments through batches, queues and services. Spans are found by transaction id, not by call stack, because a batch
 * contains many payments. Every call is cheap, none throws, and nothing is stored when tracing is off.
 */
export abstract class PaymentTracing {
  abstract readonly isOn: boolean;
  /**
   * Begins the trace of a transaction, or with `follows` continues that of another one. Returns the traceparent for its event; undefined
   * when tracing is off.
   */
  abstract begin(transactionId: number, span: { name: string; follows?: number }): string | undefined;
  /** Makes `traceparent` the parent of later spans of the transaction in this process. A malformed one is ignored. */
  abstract adopt(transactionId: number, traceparent: unknown): void;
  /** A new span; undefined when the transaction is not traced. */
  abstract start(transactionId: number, span: SpanStart): PaymentSpan | undefined;
  /** Current parent of the transaction in this process; undefined when it is not traced. */
  abstract traceparentOf(transactionId: number): string | undefined;
  /** Exports the remaining spans, within a time limit. */
  abstract stop(): Promise<void>;
}

class NoTracing extends PaymentTracing {
  override readonly isOn = false;
  override begin(): undefined {
    return undefined;
  }
  override adopt(): void {}
  override start(): undefined {
    return undefined;
  }
  override traceparentOf(): undefined {
    return undefined;
  }
  override async stop(): Promise<void> {}
}

/** The default: traces nothing, stores nothing and loads nothing. */
export const noTracing: PaymentTracing = new NoTracing();

interface Traced {
  transactionId: number;
  traceparent?: string | undefined;
}

/** Spans of a call or statement for many transactions: one span for each. */
class BatchSpans<T extends Traced> {
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

/** Names an error without its message: its code, else its name. */
export function errorCodeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return typeof name === 'string' ? name : 'UNKNOWN';
}
