/** Thin functions between a Receiver and a web framework. The frameworks are not dependencies: the types here describe the parts of them that are used. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, bodyBytesMax, type Receiver } from './receiver.js';

type HttpRequest = IncomingMessage & { body?: unknown };

const parsedBefore =
  'a body parser has read the notification: mount the receiver before the parser, or parse with express.text({ type: "*/*" })';
/** A connection that closes with unread bytes may lose the answer, so that the rest of a long body is dropped for so long. */
const lingerMs = 1_000;
/** Polling costs a loop that is never idle some microseconds. */
const idleMsMin = 1;
/** The backlog of a server of Node. */
const waitingMax = 511;
/** Short against the time of an answer: work between two measurements may count as waiting. */
const measureMs = 1_000;

/**
 * For node:http, and for Express: `app.post('/paycode', forHttp(receiver))`, above any `app.use(express.json())`. The promise never rejects: neither
 * node:http nor Express 4 handles a rejection, and an unhandled one ends the process.
 */
export function forHttp(receiver: Receiver) {
  const arrival = watchedArrivals();
  return async (request: HttpRequest, response: ServerResponse): Promise<void> => {
    const arrivedAt = arrival(request.socket);
    try {
      const body = await bodyOf(request);
      if (body === undefined) return void request.destroy();
      if (body instanceof TypeError) return send(response, { status: receiver.failed(body).status, text: body.message });
      const { status, reason, after } = await receiver.receive(body, name => headerOf(request.headers[name]), arrivedAt);
      if (status === 413 && !request.readableEnded) refuse(request, response, reason);
      else send(response, { status, text: reason, after });
    } catch (error) {
      receiver.failed(error);
      response.destroy();
    }
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
  addHook(name: 'onRequest', hook: (request: FastifyCall) => Promise<void>): unknown;
  post(path: string, handler: (request: FastifyCall, reply: FastifyAnswer) => Promise<unknown>): unknown;
}

interface FastifyCall {
  body: unknown;
  raw: { socket: object };
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
    const arrival = watchedArrivals();
    const arrivals = new WeakMap<FastifyCall, number>();
    scope.addHook('onRequest', async request => void arrivals.set(request, arrival(request.raw.socket)));
    scope.post(path, async (request, reply) => {
      const body = (request.body as Buffer | null) ?? '';
      const answer = await receiver.receive(body, name => headerOf(request.headers[name]), arrivals.get(request));
      reply.raw.once('finish', () => void answer.after?.());
      return reply.code(answer.status).send(answer.reason);
    });
  };
}

/**
 * Since when a request that is seen now may have waited: while a handler blocks, nothing is seen. It came after the event loop was last idle, because an
 * idle loop takes what comes at once. On a new connection it came within as many turns of the loop as connections can wait, because libuv accepts one
 * per turn; on a kept connection, of which every turn reads, after the turn before this one.
 */
function watchedArrivals(): (socket: object) => number {
  const measured = () => ({
    at: performance.now(),
    idleMs: performance.eventLoopUtilization().idle,
    turn: performance.nodeTiming.uvMetricsInfo?.loopCount, // Node 20.18 and newer
  });
  let [last, turn] = [measured(), measured()];
  let [freeAt, turnBeforeAt] = [last.at, last.at];
  const measure = (): void => {
    const now = measured();
    if (now.turn !== turn.turn) [turnBeforeAt, turn] = [turn.at, now];
    const idleMs = now.idleMs - last.idleMs;
    if (idleMs <= idleMsMin && now.turn! - last.turn! <= waitingMax) return;
    // The idle time counts as the beginning of the time since the last measurement, so that work after it is part of the wait.
    [freeAt, last] = [last.at + idleMs, now];
  };
  setInterval(measure, measureMs).unref();
  const known = new WeakSet();
  return socket => {
    measure();
    if (turn.turn === undefined) return performance.now();
    if (known.has(socket)) return Math.max(freeAt, turnBeforeAt);
    known.add(socket);
    return freeAt;
  };
}

/** The body once it has ended or is too long. Undefined: the client or the connection broke off. A TypeError: a parser has taken it. */
async function bodyOf(request: HttpRequest): Promise<Uint8Array | string | TypeError | undefined> {
  if (typeof request.body === 'string' || Buffer.isBuffer(request.body)) return request.body;
  if (request.readableEnded) return new TypeError(parsedBefore);
  if (request.destroyed) return undefined;
  const tooLong = Buffer.alloc(bodyBytesMax + 1);
  if (Number(request.headers['content-length']) > bodyBytesMax) return tooLong;
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) resolve(tooLong);
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    // 'close' follows; without a listener the error of an aborted request ends the process.
    request.on('error', () => undefined).once('close', () => resolve(undefined));
  });
}

function send(
  response: ServerResponse,
  { status, text, after }: { status: number; text: string; after?: Answer['after'] },
): void {
  response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text, () => void after?.());
}

/** Answers before the body has ended, and closes the connection. */
function refuse(request: IncomingMessage, response: ServerResponse, reason: string): void {
  const headers = { 'Content-Type': 'text/plain', 'Content-Length': reason.length, Connection: 'close' };
  response.writeHead(413, headers).write(reason);
  const timer = setTimeout(() => request.destroy(), lingerMs);
  request.on('error', () => undefined).once('close', () => clearTimeout(timer));
  request.resume().once('end', () => response.end());
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
