import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InternalCallersGuard } from '@paycode/access';
import type { AuthorizeAnswer, AuthorizeRequest } from '@paycode/dto';
import { counter } from '@paycode/service-runtime/metrics';
import {
  DomainError,
  errorBody,
  FailedRequestLines,
  invalidField,
  LOGGER,
  type Logger,
  unavailable,
} from '@paycode/service-runtime';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizeService } from './authorize.service';

/** Answers to the gateway by outcome: `allowed`, or the code of the refusal, e.g. `BAD_CREDENTIALS`. */
const decisionsTotal = counter('paycode_auth_session_decisions_total', 'Answers of authorize by outcome.', ['outcome']);
const allowed = { outcome: 'allowed' };

/**
 * POST /internal/authorize, which the gateway calls once per request. The answer is 200 with the decision in the body; any other
 * status means that no decision could be made. Every request of a client needs this call, so the route is directly on Fastify:
 * Nest's pipeline would cost several times as much as the decision.
 */
@Injectable()
export class AuthorizeRoute implements OnModuleInit {
  private readonly failures: FailedRequestLines;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly authorization: AuthorizeService,
    private readonly guard: InternalCallersGuard,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.failures = new FailedRequestLines(logger);
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void fastify.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('application/json', { parseAs: 'string' }, parseJson);
      scope.setErrorHandler((error: FastifyError, request, reply) => this.fail(error, request, reply));
      scope.post('/internal/authorize', (request, reply) => this.answer(request, reply));
      done();
    });
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    await this.guard.admit(request);
    const answer = await this.decide(readAuthorizeRequest(request.body));
    void reply.type('application/json');
    return JSON.stringify(answer);
  }

  private async decide(request: AuthorizeRequest): Promise<AuthorizeAnswer> {
    try {
      const permit = await this.authorization.authorize(request);
      decisionsTotal.inc(allowed);
      return { allowed: true, ...permit };
    } catch (error) {
      if (!(error instanceof DomainError && isDenial(error))) throw error;
      decisionsTotal.inc({ outcome: error.reason });
      return denialOf(error, request);
    }
  }

  private fail(error: Error & { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = error instanceof DomainError ? error : (unavailable(error) ?? asRefusal(error));
    const { status, message, errors, headers = {} } = refusal;
    if (status >= 500) this.failures.log(error, request, status);
    void reply.status(status).headers(headers).type('application/json').send(errorBody(request, { status, message, errors }));
  }
}

type Refusal = Pick<DomainError, 'status' | 'message'> & Partial<Pick<DomainError, 'errors' | 'headers'>>;

/** Fastify's own refusals keep their status (400, 413, 415); any other error becomes a 500 without details. */
function asRefusal({ statusCode = 500 }: { statusCode?: number }): Refusal {
  return statusCode < 500
    ? { status: statusCode, message: 'the request is not well formed' }
    : { status: 500, message: 'Internal Server Error' };
}

/** The gateway writes this JSON, so checks against clients (duplicate keys) are not needed here. */
function parseJson(_request: FastifyRequest, body: string | Buffer, done: (error: Error | null, value?: unknown) => void): void {
  try {
    done(null, JSON.parse(body as string));
  } catch (cause) {
    done(new DomainError({ status: 400, reason: 'INVALID_JSON', message: 'body is not valid JSON', cause }));
  }
}

const textCharsMax = { method: 32, path: 16_384, address: 128, requestId: 128 } as const;

/** Reads the gateway's request field by field, because class-validator would take longer than the decision. @throws DomainError 400 */
function readAuthorizeRequest(body: unknown): AuthorizeRequest {
  const fields = (body ?? {}) as Record<string, unknown>;
  const { authorization } = fields;
  if (!Array.isArray(authorization) || !authorization.every(line => typeof line === 'string'))
    throw invalidField('authorization', 'must be an array of strings');
  const text = (name: keyof typeof textCharsMax): string => {
    const value = fields[name];
    if (typeof value !== 'string' || value.length > textCharsMax[name])
      throw invalidField(name, `must be a string of at most ${textCharsMax[name]} characters`);
    return value;
  };
  return { method: text('method'), path: text('path'), authorization, address: text('address'), requestId: text('requestId') };
}

type Denied = Extract<AuthorizeAnswer, { allowed: false }>;

const deniedStatuses: readonly number[] = [401, 403, 404, 429] satisfies Denied['status'][];

/** Whether an error is an answer for the client; any other error is a fault of the platform and is thrown on. */
export function isDenial(error: DomainError): error is DomainError & { status: Denied['status'] } {
  return deniedStatuses.includes(error.status);
}

/** Status, headers and body for the client, with the same bytes as on auth-session's own public paths. */
export function denialOf(
  error: DomainError & { status: Denied['status'] },
  request: { path: string; requestId: string },
): Denied {
  const { status, message } = error;
  const body = JSON.stringify(errorBody({ url: request.path, id: request.requestId }, { status, message }));
  const headers = { ...error.headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { allowed: false, status, headers, body };
}
