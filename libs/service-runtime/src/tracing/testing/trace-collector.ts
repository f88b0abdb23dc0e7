import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

/** An OpenTelemetry collector for tests: accepts spans as OTLP/HTTP JSON at `/v1/traces`, refuses anything else. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Every body as received, for checks of what must not be in it. */
  readonly bodies: string[] = [];
  /** Status answered to exports. */
  status = 200;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.onRequest(request, response));
  }

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>(resolve => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** Value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Spans of every trace that the transaction has a span in. */
  traceOf(transactionId: number): CollectedSpan[] {
    const its = this.spans.filter(span => span.attributes['paycode.transaction_id'] === String(transactionId));
    const traceIds = new Set(its.map(span => span.traceId));
    return this.spans.filter(span => traceIds.has(span.traceId));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isExport = request.method === 'POST' && request.url === '/v1/traces';
    if (!isExport || request.headers['content-type'] !== 'application/json') return void response.writeHead(404).end();
    if (this.status !== 200) return void response.writeHead(this.status).end();
    const body = Buffer.concat(chunks).toString();
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
