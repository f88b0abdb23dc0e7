import type { IncomingMessage, ServerResponse } from 'node:http';
import { FakeServer } from '../../testing/fake-server';

export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  isFailed: boolean;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}
interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: OtlpAttribute[];
  status?: { code?: number };
}
interface OtlpBody {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** An OpenTelemetry collector for tests: accepts spans as OTLP/HTTP JSON at `/v1/traces` of its URL, refuses anything else. */
export class TraceCollector extends FakeServer {
  readonly spans: CollectedSpan[] = [];
  /** Every body as received, for checks of what must not be in it. */
  readonly bodies: string[] = [];
  /** Status answered to exports. */
  status = 200;

  /** Spans of every trace that the transaction has a span in. */
  traceOf(transactionId: number): CollectedSpan[] {
    const its = this.spans.filter(span => span.attributes['paycode.transaction_id'] === String(transactionId));
    const traceIds = new Set(its.map(span => span.traceId));
    return this.spans.filter(span => traceIds.has(span.traceId));
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const isExport = request.method === 'POST' && request.url === '/v1/traces';
    if (!isExport || request.headers['content-type'] !== 'application/json') return void response.writeHead(404).end();
    if (this.status !== 200) return void response.writeHead(this.status).end();

    this.bodies.push(body);
    this.take(JSON.parse(body) as OtlpBody);
    response.setHeader('content-type', 'application/json').end('{}');
  }

  private take({ resourceSpans }: OtlpBody): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { name, traceId, spanId, parentSpanId = '', status } = span;
        const attributes = valuesOf(span.attributes);
        this.spans.push({ service, name, traceId, spanId, parentSpanId, attributes, isFailed: status?.code === 2 });
      }
    }
  }
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
