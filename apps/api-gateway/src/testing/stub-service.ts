import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
}

export type StubAnswer = (request: SeenRequest, response: ServerResponse) => void;

/** A real HTTP server that records what reaches it and answers as the test says. */
export class StubService {
  readonly seen: SeenRequest[] = [];
  answer: StubAnswer;
  private readonly server: Server;

  private constructor(private readonly usualAnswer: StubAnswer) {
    this.answer = usualAnswer;
    this.server = createServer((request, response) => void this.onRequest(request, response));
  }

  static async start(usualAnswer: StubAnswer): Promise<StubService> {
    const stub = new StubService(usualAnswer);
    await stub.listen(0);
    return stub;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get last(): SeenRequest {
    return this.seen.at(-1)!;
  }

  reset(): void {
    this.seen.length = 0;
    this.answer = this.usualAnswer;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers, rawHeaders } = request;
    const seen = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
    this.seen.push(seen);
    this.answer(seen, response);
  }
}

export interface JsonAnswer {
  status?: number;
  headers?: Record<string, string>;
}

/** Answers JSON. */
export function json(response: ServerResponse, body: unknown, { status = 200, headers = {} }: JsonAnswer = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
