import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a service behind the front received it. */
export interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Replaces all services: it answers with the received request, so that tests can check it from outside. */
export class EchoService {
  /** Requests that got through. */
  count = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<EchoService> {
    const server = createServer();
    const echo = new EchoService(server);
    server.on('request', (request, response) => {
      echo.count += 1;
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.once('end', () => {
        const { method, url, headers } = request;
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ method, url, headers, body }));
      });
    });
    await echo.listen(0);
    return echo;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
