import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MerchantRecord, Route } from '@paycode/dto';

/** notification-config's two internal calls over real HTTP, from maps. */
export class FakeNotificationConfig {
  readonly merchants = new Map<number, MerchantRecord>();
  /** Notification URL by merchant. */
  readonly urls = new Map<number, string>();
  /** It answers every call with 500. */
  isBroken = false;
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const answer =
        request.url === '/internal/routes' ? this.routes(body) : this.merchants.get(Number(request.url?.split('/').at(-1)));
      response.statusCode = this.isBroken ? 500 : answer ? 200 : 404;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer ?? {}));
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  merchant(merchantId: number, over: Partial<MerchantRecord> = {}): void {
    const merchantName = `Merchant ${merchantId}`;
    this.merchants.set(merchantId, { merchantId, merchantName, pspId: 1, acquirer: 'Bank One', status: 'ACTIVE', ...over });
  }

  private routes(body: string): Partial<Route>[] {
    const { merchantIds } = JSON.parse(body) as { merchantIds: number[] };
    return merchantIds.map(merchantId => ({ merchantId, url: this.urls.get(merchantId) ?? null }));
  }
}
