import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noRecipients, type Recipients, type Route, type RoutesRequest } from '@paycode/dto';

const noRoute: Omit<Route, 'merchantId'> = {
  url: null,
  version: null,
  encryption: 'AES-128-GCM',
  sealedKey: null,
  keyId: null,
  recipients: noRecipients,
  pspId: null,
  leaseMs: 1_000,
};

/** notification-config that answers `/internal/routes` from a map, over real HTTP; merchants without an entry have no recipients. */
export class FakeNotificationConfig {
  readonly recipients = new Map<number, Partial<Recipients>>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const { merchantIds } = JSON.parse(body) as RoutesRequest;
        const routes = merchantIds.map(merchantId => ({
          ...noRoute,
          recipients: { ...noRecipients, ...this.recipients.get(merchantId) },
          merchantId,
        }));
        response.setHeader('content-type', 'application/json').end(JSON.stringify(routes));
      });
    });
  }

  static async start(): Promise<FakeNotificationConfig> {
    const fake = new FakeNotificationConfig();
    await new Promise<void>(resolve => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}
