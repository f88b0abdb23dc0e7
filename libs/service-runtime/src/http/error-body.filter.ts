import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { type ErrorBody, errorCodeOf, type FieldError } from '@paycode/dto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, unavailable } from '../domain-error';
import { causeOf, type Logger } from '../logger';
import { PacedLines } from '../timing';

interface Refusal {
  status: number;
  message: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
}

/** Builds the one error body of the platform. `path` is the request path without its query (a query may hold secrets). */
export function errorBody(request: Pick<FastifyRequest, 'url' | 'id'>, refusal: Refusal): ErrorBody {
  return {
    timestamp: new Date().toISOString(),
    status: refusal.status,
    error: STATUS_CODES[refusal.status] ?? 'Error',
    message: refusal.message,
    code: errorCodeOf(refusal.status, refusal.message),
    path: request.url.split('?', 1)[0]!,
    requestId: String(request.id),
    ...(refusal.errors ? { errors: refusal.errors } : {}),
  };
}

/**
 * Log lines of requests that ended with 5xx: one a minute for each cause, with its count. The caller of a 503 may repeat it, so it is a
 * warning; any other is an ERROR.
 */
export class FailedRequestLines {
  private readonly lines = new PacedLines();

  constructor(private readonly logger: Logger) {}

  log(err: unknown, { id, method }: { id: string; method: string }, status: number): void {
    const count = this.lines.due(causeOf(err));
    if (count === 0) return;
    const fields = { requestId: id, method, status, count, err };
    if (status === 503) this.logger.warn(fields, 'request failed, and may be repeated');
    else this.logger.error(fields, 'request failed');
  }
}

/**
 * All errors of a service go through this filter. An unreachable database becomes a 503; any unexpected error becomes a plain 500 and an
 * ERROR line.
 */
@Catch()
export class ErrorBodyFilter implements ExceptionFilter {
  private readonly lines: FailedRequestLines;

  constructor(logger: Logger) {
    this.lines = new FailedRequestLines(logger);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw error;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = refusalOf(error);
    if (refusal.status >= 500) this.lines.log(error, request, refusal.status);
    void reply
      .status(refusal.status)
      .headers(refusal.headers ?? {})
      .type('application/json')
      .send(errorBody(request, refusal));
  }
}

/** Status, message and headers for the client; they contain nothing of an unexpected error. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof DomainError) return error;
  if (error instanceof HttpException) return fromHttpException(error);
  const status = (error as { statusCode?: unknown }).statusCode;
  // Fastify's own refusals: body too large (413), wrong media type (415).
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, message: fastifyMessages[status] ?? 'Bad Request' };
  return unavailable(error) ?? { status: 500, message: 'Internal Server Error' };
}

const fastifyMessages: Record<number, string> = {
  413: 'body is larger than allowed',
  415: 'Content-Type must be application/json',
};

function fromHttpException(error: HttpException): Refusal {
  const status = error.getStatus();
  const response = error.getResponse();
  const errors = typeof response === 'object' ? (response as { errors?: FieldError[] }).errors : undefined;
  if (errors) return { status, message: error.message, errors };
  return { status, message: fastifyMessages[status] ?? (status === 404 ? 'Not Found' : error.message) };
}
