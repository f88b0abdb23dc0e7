import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** In place of a neighbour: an HTTP server on a loopback port of its own. */
export abstract class FakeServer {
  private readonly server = createServer((request, response) => void this.read(request, response));

  /** `port`: a free one unless given. */
  async listen(port = 0): Promise<this> {
    await once(this.server.listen(port, '127.0.0.1'), 'listening');
    return this;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  protected abstract handle(request: IncomingMessage, response: ServerResponse, body: string): void;

  private async read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.handle(request, response, Buffer.concat(await request.toArray()).toString());
  }
}

/** Answers JSON. */
export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
