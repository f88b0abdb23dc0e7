/** A merchant's web server that keeps from whom it was asked what, and answers what a bench says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request, as it arrived. */
export interface Asked {
  transactionId: string;
  attempt: number;
  /** Address of the dispatcher. */
  from: string;
  atMs: number;
}

export class CountingReceiver {
  readonly asked: Asked[] = [];
  /** Requests that `answers` refused to answer yet. */
  private readonly open = new Set<ServerResponse>();
  answers: (asked: Asked) => boolean = () => true;
  private readonly server = createServer((request, response) => this.handle(request, response));

  static async start(): Promise<CountingReceiver> {
    const receiver = new CountingReceiver();
    await new Promise<void>((resolve, reject) => receiver.server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/paycode`;
  }

  /** Answers what still waits. */
  letGo(): void {
    for (const response of this.open) response.writeHead(200).end();
    this.open.clear();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const transactionId = request.headers['x-webhook-transaction-id'];
    // The probe of addHttp.
    if (typeof transactionId !== 'string') return void response.writeHead(200).end();
    const attempt = Number(request.headers['x-webhook-attempt']);
    const asked = { transactionId, attempt, from: request.socket.remoteAddress ?? '', atMs: performance.now() };
    this.asked.push(asked);
    if (this.answers(asked)) return void response.writeHead(200).end();
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
  }
}
