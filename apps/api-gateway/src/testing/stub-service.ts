import type { IncomingMessage, ServerResponse } from 'node:http';
import { FakeServer } from '@paycode/service-runtime/testing';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
}

export type StubAnswer = (request: SeenRequest, response: ServerResponse) => void;

/** A real HTTP server that records what reaches it and answers as the test says. */
export class StubService extends FakeServer {
  readonly seen: SeenRequest[] = [];
  answer: StubAnswer;

  constructor(private readonly usualAnswer: StubAnswer) {
    super();
    this.answer = usualAnswer;
  }

  get last(): SeenRequest {
    return this.seen.at(-1)!;
  }

  reset(): void {
    this.seen.length = 0;
    this.answer = this.usualAnswer;
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { method = '', url = '', headers, rawHeaders } = request;
    const seen = { method, url, headers, rawHeaders, body };
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
