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
