import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** In place of a neighbour: a server on a port of its own. */
export abstract class FakeServer {
  private readonly server = createServer((request, response) => void this.read(request, response));

  static async start<Fake extends FakeServer>(this: new () => Fake): Promise<Fake> {
    const fake = new this();
    await new Promise<void>(resolve => void fake['server'].listen(0, '127.0.0.1', resolve));
    return fake;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse, body: string): void;

  private async read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    this.answer(request, response, Buffer.concat(parts).toString());
  }
}
