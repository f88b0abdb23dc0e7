/**
 * All that a span may tell: ids, codes, counts. No payload, URL, key, name or number of a person has a field here, and values are checked
 * again before they leave (T-17).
 */
export interface SpanFacts {
  attempt?: number;
  /** A code such as `TIMEOUT`, `ACKED_HTTP`, `SETTLED`. */
  outcome?: string;
  httpStatus?: number;
  topic?: string;
  group?: string;
  /** Code of what failed; its presence marks the span as failed. */
  errorCode?: string;
}

export interface SpanStart {
  /** What is done, in the words of the path: `arm`, `post webhook`. */
  name: string;
  kind: 'internal' | 'producer' | 'consumer' | 'client' | 'server';
  /** W3C traceparent of the span it hangs below. Default: where the transaction hangs in this process. */
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
 * Follows single payments through batches, queues and services: spans are found by transaction id, not by call stack, because a batch works
 * for many payments at once. Every call is cheap, none throws, and where nothing is traced nothing is kept.
 */
export abstract class PaymentTracing {
  abstract readonly isOn: boolean;
  /**
   * Begins the trace of a transaction, or with `follows` goes on with that of another one. Answers what its event carries; undefined when
   * tracing is off.
   */
  abstract begin(transactionId: number, span: { name: string; follows?: number }): string | undefined;
  /** From here on spans of the transaction hang below `traceparent` in this process. One that is not well formed is ignored. */
  abstract adopt(transactionId: number, traceparent: unknown): void;
  /** A new span; undefined when the transaction is not traced. */
  abstract start(transactionId: number, span: SpanStart): PaymentSpan | undefined;
  /** Where the transaction hangs in this process; undefined when it is not traced. */
  abstract traceparentOf(transactionId: number): string | undefined;
  /** Exports what is left, for a bounded time. */
  abstract stop(): Promise<void>;
}
