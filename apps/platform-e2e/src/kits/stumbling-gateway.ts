import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { PlatformConnection } from '@paycode/platform-client';

type Fault = 'lost' | 'hang' | 'busy';
/** The first request with such words meets the fault. `lost`: done, and the connection ends without an answer. `hang`: no answer. `busy`: 503. */
const faults: [words: string, fault: Fault][] = [
  ['"lost-', 'lost'],
  ['/renewKey', 'lost'],
  ['"hang-', 'hang'],
  ['"busy-', 'busy'],
];

/** In front of the gateway, with its certificate: passes requests on, but for the first of each fault. */
export class StumblingGateway {
  /** Requests as they came: path and body. */
  readonly requests: string[] = [];
  private readonly met = new Set<string>();
  private readonly server: Server;

  private constructor(private readonly platform: PlatformConnection) {
    const tls = dirname(platform.standalone.caFile);
    const [key, cert] = ['server.key', 'server.pem'].map(name => readFileSync(join(tls, name)));
    this.server = createServer({ key, cert }, (incoming, answer) => void this.passOn(incoming, answer));
  }

  static async start(platform: PlatformConnection): Promise<StumblingGateway> {
    const gateway = new StumblingGateway(platform);
    await new Promise<void>(resolve => gateway.server.listen(0, 'localhost', resolve));
    return gateway;
  }

  get url(): string {
    return `https://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** How many requests held the words. */
  count(words: string): number {
    return this.requests.filter(each => each.includes(words)).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async passOn(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const seen = `${incoming.url} ${body}`;
    this.requests.push(seen);
    const [words, fault] = faults.find(([each]) => seen.includes(each) && !this.met.has(each)) ?? [];
    if (words) this.met.add(words);
    if (fault === 'hang') return;
    if (fault === 'busy') return void answer.writeHead(503, { 'Retry-After': '0' }).end();
    const { method, url, headers } = incoming;
    const ca = readFileSync(this.platform.standalone.caFile);
    const options = { method, ca, headers: { ...headers, host: new URL(this.platform.standalone.baseUrl).host } };
    const outgoing = request(this.platform.standalone.baseUrl + url!, options, response => {
      if (fault === 'lost') return void response.resume().on('end', () => incoming.socket.destroy());
      response.pipe(answer.writeHead(response.statusCode!, response.headers));
    });
    outgoing.on('error', () => incoming.socket.destroy()).end(body);
  }
}
