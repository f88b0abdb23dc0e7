import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { DomainError, errorBody, LOGGER, type Logger } from '@paycode/service-runtime';
import { GatewayMetrics } from '../../telemetry';
import { type Answer, ClientGoneError, type ClientRequest } from '../client-request';
import { ForwardRequest } from '../forward-request';
import { AnswerBuffers } from './answer-buffers';
import { ReaderCutError } from './open-answer';
import { RequestReader } from './read-request';
import { writeAnswer } from './write-answer';

/** nginx's status for "the client closed the connection before the answer"; only for logs and metrics. */
const clientGoneStatus = 499;

/** One request of the public listener from its first header to the end of its answer, with one line in the access log. */
@Injectable()
export class AnswerRequest {
  /** Set when the gateway stops: every further answer closes its connection. */
  isClosing = false;

  constructor(
    private readonly forwardRequest: ForwardRequest,
    private readonly reader: RequestReader,
    private readonly buffers: AnswerBuffers,
    private readonly metrics: GatewayMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

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
    const refused = error instanceof DomainError ? error : this.unexpected(request, error);
    if (refused.status === 503)
      this.logger.warn({ requestId: request.id, reason: refused.reason, err: refused.cause }, 'answered 503');
    return {
      status: refused.status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...refused.headers },
      body: JSON.stringify(errorBody({ url: request.target, id: request.id }, refused)),
      route: 'gateway',
    };
  }

  private unexpected(request: ClientRequest, error: unknown): DomainError {
    if (!(error instanceof ClientGoneError)) this.logger.error({ requestId: request.id, err: error }, 'request failed');
    return new DomainError({ status: 500, reason: 'UNEXPECTED', message: 'Internal Server Error' });
  }
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
