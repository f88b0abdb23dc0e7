import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { deadlineHeader, requestIdHeader } from '@paycode/dto';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { DomainError } from '../domain-error';
import { peerNamesOf } from '../tls';
import { errorBody, refusalOf } from './error-body.filter';
import { type ListenerName, listenerNameOf } from './listeners';
import { refuseHostileTarget } from './request-text';

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
  requirePeerCertificate(fastify);
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

/** Routes for kubelet and Prometheus, which have no certificate of the platform. */
const openRoutes = ['/health/live', '/health/ready', '/metrics'];
/** The only caller of public listeners, which has authenticated the client. A proxy in its place has a certificate of that name. */
const gatewayName = 'api-gateway';

/**
 * On a TLS connection every request but probes and metrics needs a verified client certificate: 401 without. On a public listener it must be the
 * gateway's: 403 for any other. On an internal listener the table of internal calls decides who may call a route.
 */
function requirePeerCertificate(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const refusal = certificateRefusalOf(request);
    if (!refusal) return done();
    void reply.status(refusal.status).send(errorBody(request, refusal));
  });
}

function certificateRefusalOf(request: FastifyRequest): { status: number; message: string } | undefined {
  const names = peerNamesOf(request.raw);
  if (names === undefined || openRoutes.includes(request.routeOptions.url ?? '')) return undefined;
  if (names.length === 0) return { status: 401, message: 'a client certificate is required' };
  if (listenerNameOf(request.raw) === 'internal' || names.includes(gatewayName)) return undefined;
  return { status: 403, message: 'this listener is for the gateway: the client certificate names another' };
}

export interface KnownRoute {
  method: string;
  /** Pattern as it was registered, e.g. `/public/pay/:code`. */
  url: string;
}

const internalPattern = /^\/(internal|health|metrics)(\/|$)/;

/** The listener of a route: /internal, /health and /metrics are never public (T-27). */
export function listenerOfRoute(url: string): ListenerName {
  return internalPattern.test(url) ? 'internal' : 'public';
}

const tables = new WeakMap<FastifyInstance, RouteTable>();

/** Every route of an application, in and outside Nest. */
export class RouteTable {
  readonly routes: KnownRoute[] = [];
  /** Methods of paths without a parameter. */
  private readonly literal = new Map<string, Set<string>>();

  /** Call before the first route is registered. */
  static watch(fastify: FastifyInstance): RouteTable {
    const table = new RouteTable();
    fastify.addHook('onRoute', route => table.add(route));
    tables.set(fastify, table);
    return table;
  }

  static of(fastify: FastifyInstance): RouteTable {
    return tables.get(fastify)!;
  }

  /** The methods of a public path, when no route matched the method of the request. */
  publicMethodsOf(target: string): string[] {
    const path = pathOf(target);
    const literal = this.literal.get(path);
    if (literal && listenerOfRoute(path) === 'public') return [...literal].sort();
    const found = this.routes.filter(({ url }) => listenerOfRoute(url) === 'public' && isOfPattern(path, url));
    return [...new Set(found.map(({ method }) => method))].sort();
  }

  /** Whether a route with a parameter was found only because the path itself, which is known, has no such method: `GET /code/create` is no code. */
  isTakenForParameter({ method, url }: KnownRoute, target: string): boolean {
    if (!url.includes(':')) return false;
    const methods = this.literal.get(pathOf(target));
    return methods !== undefined && !methods.has(method);
  }

  private add({ method, url }: RouteOptions): void {
    for (const each of [method].flat()) {
      this.routes.push({ method: each, url });
      if (!/[:*]/.test(url)) this.literal.set(url, (this.literal.get(url) ?? new Set()).add(each));
    }
  }
}

/** Path of a request target in origin or absolute form, decoded as the router decodes it. */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0]!;
  try {
    return decodeURI(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return path;
  }
}

/** Whether a path matches the pattern: `:name` matches one segment, `*` the rest. */
function isOfPattern(path: string, url: string): boolean {
  const [segments, wanted] = [path.split('/'), url.split('/')];
  const isRestFree = wanted.at(-1) === '*' && segments.length >= wanted.length;
  if (segments.length !== wanted.length && !isRestFree) return false;
  return wanted.every((name, at) => name === '*' || name === segments[at] || (name.startsWith(':') && segments[at] !== ''));
}
