import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { deadlineHeader, requestIdHeader } from '@paycode/dto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../domain-error';
import { errorBody, refusalOf } from './error-body.filter';
import { type ListenerName, listenerNameOf } from './listeners';
import { listenerOfRoute, RouteTable } from './route-table';
import { refuseHostileTarget } from './target-text';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Fields of the body whose text may contain line ends. */
    multilineFields?: ReadonlySet<string>;
    /**
     * The target contains a client's whole request, as a proxy passes it. The handler's decision is the answer, so the target is not
     * checked before.
     */
    isTargetQuoted?: boolean;
    /** Programs of others send a form that says nothing; the handler gets no body. */
    isBodyIgnored?: boolean;
  }
}

/**
 * Checks every request before its handler. The matched route decides which listener a request belongs to, never the spelling of the target:
 * `/%69nternal` and `http://x/internal` are the route `/internal` (T-27).
 */
export function guardRequests(fastify: FastifyInstance): void {
  const table = RouteTable.watch(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    writeOwnHeaders(request, reply);
    try {
      refuseMisplaced(request, { listener: listenerNameOf(request.raw), table });
      if (!request.routeOptions.config.isTargetQuoted) refuseHostileTarget(request.url);
      done();
    } catch (error) {
      answerRefusal(error, request, reply);
    }
  });
  refuseLateCalls(fastify);
}

/**
 * Answers 503 to an internal call that nobody waits for any more, before its handler begins: under overload such work would make the next
 * calls late too. The call is late when its time is over, or its caller has hung up.
 */
function refuseLateCalls(fastify: FastifyInstance): void {
  const receivedMs = new WeakMap<FastifyRequest, number>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (deadlineMsOf(request) !== undefined) receivedMs.set(request, performance.now());
    done();
  });
  fastify.addHook('preHandler', async (request, reply) => {
    const since = receivedMs.get(request);
    if (since === undefined) return;
    // The end of the connection is read in the turn after the request, when both waited in the kernel.
    await turnOfEventLoop();
    await turnOfEventLoop();
    const { destroyed, readableEnded } = request.raw.socket;
    const isLate = destroyed || readableEnded || performance.now() - since >= deadlineMsOf(request)!;
    if (!isLate) return;
    answerRefusal(new DomainError({ status: 503, reason: 'LATE_CALL', message: 'Service Unavailable' }), request, reply);
    await reply;
  });
}

/** Undefined for a call from outside, and for one whose caller says nothing. */
function deadlineMsOf(request: FastifyRequest): number | undefined {
  if (listenerNameOf(request.raw) !== 'internal') return undefined;
  const deadlineMs = Number(request.headers[deadlineHeader] ?? Number.NaN);
  return Number.isFinite(deadlineMs) ? deadlineMs : undefined;
}

/** Answers requests that Fastify refuses before any hook: a target that it cannot decode, or a path segment beyond the limit. */
export function answerUnroutable(error: { code?: string }, request: FastifyRequest, reply: FastifyReply): void {
  writeOwnHeaders(request, reply);
  const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  const refusal = isTooLong ? notFound() : new DomainError({ status: 400, reason: 'INVALID_PATH', message: 'invalid path' });
  answerRefusal(refusal, request, reply);
}

function writeOwnHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header(requestIdHeader, request.id).header('x-content-type-options', 'nosniff');
}

/** @throws DomainError 404, or 405 with the methods of a public path */
function refuseMisplaced(request: FastifyRequest, { listener, table }: { listener: ListenerName; table: RouteTable }): void {
  const url = urlOfRoute(request, table);
  if (url !== undefined && listenerOfRoute(url) === listener) return;
  const allowed = url === undefined && listener === 'public' ? table.publicMethodsOf(request.url) : [];
  if (allowed.length === 0) throw notFound();
  throw new DomainError({
    status: 405,
    reason: 'METHOD_NOT_ALLOWED',
    message: 'Method Not Allowed',
    headers: { allow: allowed.join(', ') },
  });
}

/** The pattern of the route that was found; undefined where the path is known and has no such method. */
function urlOfRoute({ method, url: target, routeOptions: { url } }: FastifyRequest, table: RouteTable): string | undefined {
  return url !== undefined && table.isTakenForParameter({ method, url }, target) ? undefined : url;
}

function notFound(): DomainError {
  return new DomainError({ status: 404, reason: 'NO_ROUTE', message: 'Not Found' });
}

function answerRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error);
  void reply
    .status(refusal.status)
    .headers(refusal.headers ?? {})
    .type('application/json')
    .send(errorBody(request, refusal));
}
