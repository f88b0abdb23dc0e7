import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { counter } from '../../metrics';
import { errorCodeOf } from '../error-code';

type ExportDone = Parameters<SpanExporter['export']>[1];

const warnEveryMs = 60_000;
/** ExportResultCode.SUCCESS of @opentelemetry/core. */
const succeeded = 0;

/** Counts exported and lost spans, so that a missing trace is not mistaken for a missing payment. */
export class CountedExporter implements SpanExporter {
  private readonly spans = counter('paycode_tracing_spans_total', 'Spans by the outcome of their export.', ['outcome']);
  private warnedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly onFailed: (code: string) => void,
  ) {}

  export(spans: ReadableSpan[], done: ExportDone): void {
    this.exporter.export(spans, result => {
      const isExported = Number(result.code) === succeeded;
      this.spans.inc({ outcome: isExported ? 'exported' : 'failed' }, spans.length);
      if (!isExported) this.warn(result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  private warn(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.warnedMs < warnEveryMs) return;
    this.warnedMs = nowMs;
    this.onFailed(errorCodeOf(error));
  }
}
