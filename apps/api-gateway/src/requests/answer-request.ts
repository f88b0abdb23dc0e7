import { Inject, Injectable } from '@nestjs/common';
import { requestIdHeader } from '@paycode/dto';
import { DomainError, errorBody, FailedRequestLines, LOGGER, type Logger } from '@paycode/service-runtime';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, ClientGoneError, type ClientRequest, ForwardRequest } from '../forwarding/forward-request';
import { GatewayMetrics } from '../gateway-metrics';
import { AnswerBuffers } from './answer-buffers';
import { ReaderCutError } from './open-answer';
import { RequestReader } from './read-request';

/** nginx's status for "the client closed the connection before the answer"; only for logs and metrics. */
const clientGoneStatus = 499;

/** One request of the public listener from its first header to the end of its answer, with one line in the access log. */
@Injectable()
export class AnswerRequest {
  /** Set when the gateway stops: every further answer closes its connection. */
  isClosing = false;
  private readonly failures: FailedRequestLines;

  constructor(
    private readonly forwardRequest: ForwardRequest,
    private readonly reader: RequestReader,
    private readonly buffers: AnswerBuffers,
    private readonly metrics: GatewayMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.failures = new FailedRequestLines(logger);
  }

  async answer(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAtMs = performance.now();
    this.metrics.requestStarted();
    const request = this.reader.read(raw, response);
    const answer = await this.forwardRequest
      .handle(request)
      .then(given => this.buffers.admitted(given, request.address))
      .catch((error: unknown) => this.refusal(request, error));
    const status = await this.write(answer, { request, raw, response });
    const durationS = (performance.now() - startedAtMs) / 1_000;
    this.metrics.requestEnded({ route: answer.route, method: request.method, status, durationS });
    this.logger.info(accessLine(request, { route: answer.route, status, durationMs: Math.round(durationS * 1_000) }), 'request');
  }

  private async write(
    answer: Answer,
    { request, raw, response }: { request: ClientRequest; raw: IncomingMessage; response: ServerResponse },
  ): Promise<number> {
    if (response.destroyed) {
      if (typeof answer.body !== 'string') answer.body.destroy();
      return clientGoneStatus;
    }
    const { buffers, isClosing } = this;
    try {
      await writeAnswer(answer, { request: raw, response, buffers, requestId: request.id, address: request.address, isClosing });
      return answer.status;
    } catch (error) {
      if (!request.signal.aborted && !(error instanceof ReaderCutError))
        this.logger.warn({ requestId: request.id, route: answer.route, err: error }, 'answer broke off');
      raw.socket.destroy();
      return clientGoneStatus;
    }
  }

  /** The gateway's own refusals, in the platform's error body. */
  private refusal(request: ClientRequest, error: unknown): Answer {
    const refused = error instanceof DomainError ? error : unexpected(error);
    if (refused.status >= 500 && !(error instanceof ClientGoneError)) this.failures.log(error, request, refused.status);
    return {
      status: refused.status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...refused.headers },
      body: JSON.stringify(errorBody({ url: request.target, id: request.id }, refused)),
      route: 'gateway',
    };
  }
}

function unexpected(cause: unknown): DomainError {
  return new DomainError({ status: 500, reason: 'UNEXPECTED', message: 'Internal Server Error', cause });
}

const loggedPathCharsMax = 256;

/** The log line never has the query, a header or a body, because they contain credentials and challenges (R-5.4-3, T-17). */
function accessLine(
  request: ClientRequest,
  facts: { route: string; status: number; durationMs: number },
): Record<string, unknown> {
  const path = request.target.split('?', 1)[0]!.slice(0, loggedPathCharsMax);
  return { requestId: request.id, method: request.method, path, address: request.address, ...facts };
}

/** Header fields of every answer. Without includeSubDomains, because the owner of the DNS zone decides about the names below. */
const ownFields = { 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' };
const lingerMs = 2_000;
const lingerBytesMax = 1_048_576;

export interface AnswerContext {
  request: IncomingMessage;
  response: ServerResponse;
  buffers: AnswerBuffers;
  requestId: string;
  /** Of the client. */
  address: string;
  /** True while the gateway stops, so that the client uses another connection next. */
  isClosing: boolean;
}

/**
 * Writes a complete answer. Rejects when the client has disconnected or was cut off, or a streamed body ended early (the connection is then
 * closed).
 */
export async function writeAnswer(answer: Answer, context: AnswerContext): Promise<void> {
  const { request, response, requestId, isClosing } = context;
  const isUnread = !request.complete;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  for (const [name, value] of Object.entries(ownFields)) response.setHeader(name, value);
  response.setHeader(requestIdHeader, requestId);
  if (isUnread || isClosing) response.setHeader('connection', 'close');
  const { buffers } = context;
  if (typeof answer.body !== 'string') return buffers.send(answer, context);
  response.setHeader('content-length', Buffer.byteLength(answer.body));
  if (!isUnread || request.method === 'HEAD') return buffers.send(answer, context);
  response.write(answer.body);
  await discardRest(request);
  await buffers.send({ ...answer, body: '' }, context);
}

/**
 * Reads and drops the bytes that a refused client still sends, for a short, bounded time: closing with unread bytes resets the
 * connection, and the client would get a broken pipe instead of the answer.
 */
async function discardRest(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  await new Promise<void>(resolve => {
    const deadline = setTimeout(resolve, lingerMs);
    const done = (): void => {
      clearTimeout(deadline);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > lingerBytesMax) done();
    });
    request.once('end', done).once('error', done).once('close', done);
    request.resume();
  });
}
