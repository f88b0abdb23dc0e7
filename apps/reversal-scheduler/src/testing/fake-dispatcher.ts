import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloseItem, VerdictKind } from '@paycode/dto';

/** A dispatcher that answers `close` from a map over real HTTP; transactions without an entry are OPEN. */
export class FakeDispatcher {
  readonly verdicts = new Map<number, VerdictKind>();
  readonly asked: number[] = [];
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens on a free port, the same one again after `stop`. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const items = JSON.parse(body) as CloseItem[];
        this.asked.push(...items.map(item => item.transactionId));
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(items.map(({ transactionId }) => this.answer(transactionId))));
      });
    });
    this.server = server;
    await new Promise<void>(resolve => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server) return;
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }

  private answer(transactionId: number) {
    return { transactionId, verdict: this.verdicts.get(transactionId) ?? 'OPEN' };
  }
}
