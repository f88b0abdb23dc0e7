/** Stands in for the services that the measured ones call, over real HTTP: merchants and routes of notification-config, `close` of the dispatcher. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloseItem, MerchantRecord, Route } from '@paycode/dto';

export class Neighbours {
  private readonly routes = new Map<number, Route>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Neighbours> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const neighbours = new Neighbours(server);
    server.on('request', (request, response) => {
      void bodyOf(request).then(body => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(neighbours.answerTo(request.url ?? '', body)));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return neighbours;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  know(routes: readonly Route[]): void {
    for (const route of routes) this.routes.set(route.merchantId, route);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private answerTo(path: string, body: unknown): unknown {
    if (path === '/internal/routes') return (body as { merchantIds: number[] }).merchantIds.map(id => this.routes.get(id));
    // Every payment that a timer asks about went unanswered.
    if (path === '/internal/deliveries/close')
      return (body as CloseItem[]).map(({ transactionId }) => ({ transactionId, verdict: 'CLOSED_TIMEOUT' }));
    if (path.startsWith(merchantPath)) return merchantOf(Number(path.slice(merchantPath.length)));
    throw new Error(`nobody serves ${path}`);
  }
}

const merchantPath = '/internal/merchants/';

function merchantOf(merchantId: number): MerchantRecord {
  return { merchantId, merchantName: 'Corner Shop', pspId: 1, acquirer: 'ACQ', status: 'ACTIVE' };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}
