/** Thin functions between a Receiver and a web framework. The frameworks are not dependencies: the types here describe the parts of them that are used. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyBytesMax, type Receiver } from './receiver.js';

/** For node:http, and for Express: `app.post('/paycode', forHttp(receiver))`, above any `app.use(express.json())`. */
export function forHttp(receiver: Receiver) {
  return async (request: IncomingMessage & { body?: unknown }, response: ServerResponse): Promise<void> => {
    const body = await rawBody(request);
    const answer = await receiver.receive(body, name => headerOf(request.headers[name]));
    response.writeHead(answer.status, { 'Content-Type': 'text/plain' }).end(answer.reason, () => void answer.after?.());
  };
}

export const forExpress = forHttp;

/** The part of Fastify that the plugin uses. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Buffer) => Promise<Buffer>,
  ): unknown;
  post(path: string, handler: (request: FastifyCall, reply: FastifyAnswer) => Promise<unknown>): unknown;
}

interface FastifyCall {
  body: unknown;
  headers: Record<string, string | string[] | undefined>;
}

interface FastifyAnswer {
  code(status: number): { send(body: string): unknown };
  raw: { once(event: 'finish', listener: () => void): unknown };
}

/** For Fastify: `app.register(forFastify(receiver, '/paycode'))`. Its body parser applies to this route only. */
export function forFastify(receiver: Receiver, path: string) {
  return async (scope: FastifyScope): Promise<void> => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, async (_request, body) => body);
    scope.post(path, async (request, reply) => {
      const answer = await receiver.receive((request.body as Buffer | null) ?? '', name => headerOf(request.headers[name]));
      reply.raw.once('finish', () => void answer.after?.());
      return reply.code(answer.status).send(answer.reason);
    });
  };
}

async function rawBody(request: IncomingMessage & { body?: unknown }): Promise<Buffer | string> {
  if (typeof request.body === 'string' || Buffer.isBuffer(request.body)) return request.body;
  if (request.body !== undefined && request.readableEnded)
    throw new TypeError(
      'a body parser has read the notification: mount the receiver before the parser, or parse with express.text({ type: "*/*" })',
    );
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Bytes beyond the limit are read and dropped, so that the receiver can answer 413.
    if (bytes <= bodyBytesMax + 1) chunks.push(chunk);
  }
  return bytes > bodyBytesMax ? Buffer.alloc(bodyBytesMax + 1) : Buffer.concat(chunks);
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
