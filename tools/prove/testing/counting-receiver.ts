/** A merchant's web server that answers 200 and keeps which payments it was told of. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request, as it arrived. */
export interface Asked {
  transactionId: string;
  atMs: number;
}

export class CountingReceiver {
  readonly asked: Asked[] = [];
  private readonly server = createServer((request, response) => {
    request.resume();
    const transactionId = request.headers['x-webhook-transaction-id'];
    // The probe of addHttp has none.
    if (typeof transactionId === 'string') this.asked.push({ transactionId, atMs: performance.now() });
    response.writeHead(200).end();
  });

  static async start(): Promise<CountingReceiver> {
    const receiver = new CountingReceiver();
    await new Promise<void>((resolve, reject) => receiver.server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/paycode`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}
